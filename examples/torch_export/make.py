"""Writes the .pt2 files of this folder, and runs.json. Needs PyTorch: python3 make.py

They were written with torch 2.15.0 on 2026-11-28. A file holds the program alone: weights and sample inputs, which are pickles, are left
out. runs.json holds what eager PyTorch does with other sizes than those of the export: for each model a list of runs, with the sizes of the
inputs (a number for an integer) and those of the outputs, or the first line of the error.
"""

import io
import json
import sys
import zipfile
from pathlib import Path

import torch
from torch import nn
from torch.export import Dim
from torch.nn import functional as F

HERE = Path(__file__).parent


class Block(nn.Module):
    """The basic block of ResNet."""

    def __init__(self, before, after, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(after)
        self.conv2 = nn.Conv2d(after, after, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(after)
        self.downsample = None
        if stride != 1 or before != after:
            self.downsample = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        shortcut = x if self.downsample is None else self.downsample(x)
        return F.relu(y + shortcut)


class ResNet18(nn.Module):
    """The network of torchvision, layer by layer (its code is not used)."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        sizes = [(64, 64, 1), (64, 128, 2), (128, 256, 2), (256, 512, 2)]
        layers = [nn.Sequential(Block(a, b, s), Block(b, b, 1)) for a, b, s in sizes]
        self.layer1, self.layer2, self.layer3, self.layer4 = layers
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(512, 1000)

    def forward(self, x):
        x = self.maxpool(F.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(torch.flatten(self.avgpool(x), 1))


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.out = nn.Linear(width, width)

    def forward(self, x, mask=None, causal=False):
        b, s, width = x.shape
        q, k, v = (
            project(x).view(b, s, self.heads, width // self.heads).transpose(1, 2)
            for project in (self.query, self.key, self.value)
        )
        y = F.scaled_dot_product_attention(q, k, v, mask, is_causal=causal)
        return self.out(y.transpose(1, 2).reshape(b, s, width))


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention = Attention(width, heads)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, mask=None, causal=False):
        x = self.norm1(x + self.attention(x, mask, causal))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


class Bert(nn.Module):
    """An encoder of the form of BERT: words, 512 positions, kinds, masked attention, a pooled first token."""

    def __init__(self):
        super().__init__()
        width = 48
        self.words, self.positions, self.kinds = nn.Embedding(1000, width), nn.Embedding(512, width), nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width)
        self.layers = nn.ModuleList(Layer(width, 4) for _ in range(2))
        self.pooler = nn.Linear(width, width)
        self.register_buffer("position_ids", torch.arange(512).expand((1, -1)))

    def forward(self, ids, mask):
        places = self.position_ids[:, : ids.size(1)]
        x = self.words(ids) + self.positions(places) + self.kinds(torch.zeros_like(ids))
        x = self.norm(x)
        bias = (1.0 - mask[:, None, None, :].to(x.dtype)) * torch.finfo(x.dtype).min
        for layer in self.layers:
            x = layer(x, bias)
        return x, torch.tanh(self.pooler(x[:, 0]))


class UNet(nn.Module):
    """Two levels down and up again, with crossing connections."""

    def __init__(self):
        super().__init__()
        self.down1, self.down2 = nn.Conv2d(1, 8, 3, padding=1), nn.Conv2d(8, 16, 3, padding=1)
        self.bottom = nn.Conv2d(16, 16, 3, padding=1)
        self.raise2 = nn.ConvTranspose2d(16, 16, 2, 2)
        self.up2, self.up1 = nn.Conv2d(32, 8, 3, padding=1), nn.Conv2d(16, 4, 3, padding=1)

    def forward(self, x):
        a = F.silu(self.down1(x))
        b = F.silu(self.down2(F.max_pool2d(a, 2)))
        c = self.raise2(F.silu(self.bottom(F.avg_pool2d(b, 2))))
        d = self.up2(torch.cat([b, c], 1))
        e = F.interpolate(d, scale_factor=2.0, mode="nearest")
        return torch.sigmoid(self.up1(torch.cat([a, e], 1)))


class Tagger(nn.Module):
    """A bidirectional LSTM over words."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(100, 12)
        self.lstm = nn.LSTM(12, 16, batch_first=True, bidirectional=True)
        self.out = nn.Linear(32, 5)

    def forward(self, ids):
        return F.log_softmax(self.out(self.lstm(self.words(ids))[0]), -1)


class Branching(nn.Module):
    """A condition on values, whose branches are graphs of their own."""

    def __init__(self):
        super().__init__()
        self.left, self.right = nn.Linear(6, 4), nn.Linear(6, 4)

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: self.left(x), lambda x: self.right(x.flip(0)), (x,))


class Window(nn.Module):
    """Integers as inputs: a window of a signal, by its start and its length."""

    def forward(self, signal, start, length):
        part = signal[:, start : start + length]
        return part.mean(1), torch.arange(length) * 2


class Decoder(nn.Module):
    """A causal decoder in which each position is added from a table that is computed."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(50, 24)
        self.layer = Layer(24, 3)

    def forward(self, ids):
        t = ids.shape[1]
        angles = torch.arange(t)[:, None] / torch.pow(100.0, torch.arange(0, 24, 2) / 24)[None, :]
        table = torch.stack([angles.sin(), angles.cos()], -1).flatten(1)
        x = self.layer(self.words(ids) + table, causal=True)
        return torch.einsum("btd,vd->btv", x, self.words.weight)


class Patches(nn.Module):
    """Patches of an image, merged two by two, as in windowed transformers."""

    def __init__(self):
        super().__init__()
        self.patch = nn.Conv2d(3, 16, 4, 4)
        self.norm = nn.LayerNorm(64)
        self.reduce = nn.Linear(64, 32, bias=False)

    def forward(self, x):
        x = self.patch(x).permute(0, 2, 3, 1)
        x = torch.roll(x, shifts=(-1, -1), dims=(1, 2))
        parts = [x[:, i::2, j::2] for j in (0, 1) for i in (0, 1)]
        x = self.reduce(self.norm(torch.cat(parts, -1)))
        b, h, w, c = x.shape
        return x.view(b, h * w, c).chunk(2, -1)[0]


class Counter(nn.Module):
    """A buffer that each run changes: its new value is an output of the program, and none that the user sees."""

    def __init__(self):
        super().__init__()
        self.register_buffer("runs", torch.zeros(1))

    def forward(self, x, y):
        self.runs.add_(1.0)
        return x + y * self.runs


def ids(*sizes):
    return torch.ones(sizes, dtype=torch.int64)


MODELS = {
    "resnet18": (
        ResNet18(),
        lambda n, h, w: (torch.zeros(n, 3, h, w),),
        [(2, 224, 224), (1, 1, 1), (1, 8, 500), (1, 32, 224), (3, 33, 33), (0, 40, 40), (1, 0, 7)],
    ),
    "bert": (
        Bert(),
        lambda b, s: (ids(b, s), ids(b, s)),
        [(2, 20), (1, 1), (3, 512), (1, 513), (0, 4)],
    ),
    "unet": (
        UNet(),
        lambda n, h, w: (torch.zeros(n, 1, h, w),),
        [(2, 16, 24), (1, 4, 4), (1, 6, 8), (1, 8, 2), (1, 5, 8)],
    ),
    "tagger": (Tagger(), lambda b, t: (ids(b, t),), [(2, 9), (1, 1), (4, 0), (0, 3)]),
    "branching": (Branching(), lambda n: (torch.ones(n, 6),), [(3,), (1,), (0,)]),
    "counter": (
        Counter(),
        lambda a, b, c, d: (torch.zeros(a, b), torch.zeros(c, d)),
        [(2, 3, 2, 3), (2, 1, 2, 3), (4, 3, 1, 3), (2, 3, 3, 3), (0, 3, 1, 3)],
    ),
    "window": (
        Window(),
        lambda b, n, start, length: (torch.zeros(b, n), start, length),
        [(2, 50, 4, 7), (1, 3, 2, 9), (1, 5, 5, 0), (3, 4, 0, 4)],
    ),
    "decoder": (Decoder(), lambda b, t: (ids(b, t),), [(2, 11), (1, 1), (5, 40)]),
    "patches": (
        Patches(),
        lambda n, h, w: (torch.zeros(n, 3, h, w),),
        [(2, 32, 48), (1, 8, 8), (1, 12, 8), (1, 11, 15), (1, 7, 9), (1, 3, 8)],
    ),
}


# Programs in the form in which nothing is changed in place.
FUNCTIONAL = {"counter"}


def sizes(result):
    if isinstance(result, (tuple, list)):
        return [each for part in result for each in sizes(part)]
    return [list(result.shape)]


def run(model, inputs):
    stated = [list(each.shape) if isinstance(each, torch.Tensor) else each for each in inputs]
    try:
        with torch.no_grad():
            return {"inputs": stated, "outputs": sizes(model(*inputs))}
    except Exception as error:
        return {"inputs": stated, "error": str(error).splitlines()[0]}


def export(name, model, inputs):
    free = [{axis: Dim.AUTO for axis in range(x.dim())} if isinstance(x, torch.Tensor) else Dim.AUTO for x in inputs]
    program = torch.export.export(model, inputs, dynamic_shapes=tuple(free))
    if name in FUNCTIONAL:
        program = program.run_decompositions({})
    written = io.BytesIO()
    torch.export.save(program, written)
    archive = zipfile.ZipFile(written)
    (entry,) = [entry for entry in archive.namelist() if entry.endswith("models/model.json")]
    text = archive.read(entry).decode()
    # The places of files on the exporting machine are of no interest to others.
    for folder in [Path(torch.__file__).parent.parent, HERE.resolve()]:
        text = text.replace(f"{folder}/", "")
    with zipfile.ZipFile(HERE / f"{name}.pt2", "w", zipfile.ZIP_DEFLATED) as out:
        for path, content in [("archive_format", "pt2"), ("models/model.json", text)]:
            out.writestr(zipfile.ZipInfo(f"{name}/{path}"), content, zipfile.ZIP_DEFLATED, 9)


torch.manual_seed(0)
runs = {}
for name, (model, make, tries) in MODELS.items():
    if len(sys.argv) > 1 and name not in sys.argv[1:]:
        continue
    model.eval()
    export(name, model, make(*tries[0]))
    runs[name] = [run(model, make(*each)) for each in tries]
lines = [f"{json.dumps(name)}: [\n  " + ",\n  ".join(map(json.dumps, each)) + "\n]" for name, each in runs.items()]
(HERE / "runs.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
