"""A model for the test of examples/fx/export.py: conditions on sizes, parameters, buffers, several outputs, parameters with defaults."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.blocks = nn.Sequential(nn.MaxPool2d(2), nn.BatchNorm2d(8))
        self.linear = nn.Linear(8, 5)
        self.scale = nn.Parameter(torch.ones(8, 1, 1))
        self.register_buffer("shift", torch.zeros(8, 1, 1))

    def forward(self, x, mask=None, double=True):
        y = self.blocks(torch.relu(self.conv(x))) * self.scale + self.shift
        if mask is not None:
            y = y * mask
        if double:
            y = torch.cat([y, y], 1)[:, :8]
        batch, _, height, _ = y.shape
        if height > 4:
            y = y[:, :, ::2, :4]
        if y.size(0) == 2:
            y = y + 1
        flat = y.mean((2, 3)).view(batch, -1)
        masked = flat.masked_fill(flat > 0, float("-inf"))
        return {"scores": self.linear(flat), "others": (masked, flat.to(torch.float16))}


def make():
    return Net(), (torch.zeros(3, 3, 20, 16),)
