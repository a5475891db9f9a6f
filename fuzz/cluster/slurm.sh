#!/usr/bin/env bash
# A campaign as an array of jobs: sbatch fuzz/cluster/slurm.sh. Each job examines the shard of its number.
# Merge afterwards: lozenge campaign --merge states/*.json --html report.html
#SBATCH --job-name=lozenge-campaign
#SBATCH --array=1-64
#SBATCH --cpus-per-task=1
#SBATCH --mem=2G
#SBATCH --time=12:00:00
#SBATCH --requeue
set -u
mkdir -p states
# Status 1 tells of a disagreement, which the merged report shows. A state that is there is gone on with.
lozenge campaign --count 100000000 --seed 7 --jobs 1 \
  --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --resume "states/$SLURM_ARRAY_TASK_ID.json"
[ $? -le 1 ]
