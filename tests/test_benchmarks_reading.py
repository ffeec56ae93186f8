"""The parts of a page that benchmarks/reading.py weighs."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))

from benchmarks.reading import weights

PAGE = """\
<body class="section treed">
<main id="_text">
<div class="aside">
<details class="here">
<nav><ol><li>h</li></ol>
</nav>
</details>
</div>
<div class="text">
<p>text</p>
</div>
<nav class="pager">p</nav>
</main>
<nav class="tree">t</nav>
</body>
"""


def test_the_parts_of_a_page_are_told_apart() -> None:
    found = weights(PAGE)

    assert found.tree == len('<nav class="tree">t</nav>\n')
    assert found.headings == len(PAGE[PAGE.index('<div class="aside">') : PAGE.index('<div class="text">')])
    assert found.frame == len(PAGE) - found.tree - found.headings - len("<p>text</p>")
