#!/usr/bin/env python3
"""Runs a campaign as shards on a Dask cluster, and merges them exactly.

Input number i of a target depends on the seed and on i alone, so the shards have the counts of one run, on any machines.
Each worker needs the command `lozenge` of the same version: the first lines of the merged report say which.

    pip install --require-hashes -r fuzz/cluster/requirements.txt
    fuzz/cluster/campaign.py spec_solver order --count 1000000 --seed 7 --shards 64 --workers 8
    fuzz/cluster/campaign.py --scheduler tcp://10.0.0.5:8786 --count 1000000 --shards 512 --html report.html
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile


def run_shard(binary, targets, count, seed, shard, shards):
    """Examines one shard and returns its state, the file that `--resume` wrote. A disagreement (status 1) is part of the state."""
    with tempfile.TemporaryDirectory() as folder:
        state = pathlib.Path(folder, "state.json")
        command = [binary, "campaign", *targets, "--count", str(count), "--seed", str(seed)]
        command += ["--shard", f"{shard}/{shards}", "--jobs", "1", "--resume", str(state)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode not in (0, 1) or not state.exists():
            raise RuntimeError(f"shard {shard}/{shards} ended with status {done.returncode}:\n{done.stderr}")
        return state.read_bytes()


def open_client(arguments):
    """Connects to a scheduler, or starts a cluster on this machine with one process for each worker."""
    from distributed import Client, LocalCluster

    if arguments.scheduler:
        return Client(arguments.scheduler)
    cluster = LocalCluster(n_workers=arguments.workers, threads_per_worker=1, dashboard_address=None)
    return Client(cluster)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", help="the targets; all of them if none is named")
    parser.add_argument("--count", type=int, required=True, help="inputs of each target, of the whole campaign")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shards", type=int, default=16, help="more shards than workers keep all of them busy to the end")
    parser.add_argument("--workers", type=int, default=2, help="processes on this machine, without --scheduler")
    parser.add_argument("--scheduler", help="the address of a running scheduler of Dask")
    parser.add_argument("--binary", default="lozenge", help="the command on the workers")
    parser.add_argument("--html", help="write the report of the whole to this file")
    parser.add_argument("--format", choices=["text", "json"], default="text")
    arguments = parser.parse_args()

    from distributed import as_completed

    numbers = range(1, arguments.shards + 1)
    with open_client(arguments) as client, tempfile.TemporaryDirectory() as folder:
        call = (arguments.binary, arguments.targets, arguments.count, arguments.seed)
        # A worker that is lost is not an answer: its shard is given to another one.
        futures = {client.submit(run_shard, *call, shard, arguments.shards, pure=False, retries=2): shard for shard in numbers}
        for done, future in enumerate(as_completed(futures), 1):
            pathlib.Path(folder, f"{futures[future]}.json").write_bytes(future.result())
            print(f"{done} of {arguments.shards} shards", file=sys.stderr, flush=True)
        parts = [str(pathlib.Path(folder, f"{shard}.json")) for shard in numbers]
        page = ["--html", arguments.html] if arguments.html else []
        merge = [arguments.binary, "campaign", "--merge", *parts, *page, "--format", arguments.format]
        return subprocess.run(merge).returncode


if __name__ == "__main__":
    sys.exit(main())
