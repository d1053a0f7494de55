"""Write every file that is made of the code."""

from generators import GENERATED, ROOT

for path, make in GENERATED.items():
    (ROOT / path).write_text(make(), encoding="utf-8")
