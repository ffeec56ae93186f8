"""Pictures of pages and of parts of them, small enough to publish and safe to make."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from docshelf.build.converting.converted import Box
from docshelf.build.engines.opening import library_faults
from docshelf.serve.errors import SourceError

if TYPE_CHECKING:
    import pymupdf

MAX_SIDE = 1600
"""Pixels of the longer side of a picture that is rendered."""
MAX_SCALE = 200 / 72
"""Pixels per point; a small page gains nothing from more."""
MIN_SCALE = 1.5
"""Pixels per point that a figure gets at least, for the labels over it; past what its image holds, no more."""
MAX_JPEG_BYTES = 1_500_000
"""A stored JPEG up to this size is copied as it is."""
MAX_DECODED_BYTES = 400_000_000
"""Pictures that unpack to more are not rendered: a 12 KB file can hold one of gigabytes."""
JPEG_QUALITY = 80
MAX_PNG_DENSITY = 0.4
"""Bytes a pixel up to which a drawing is kept sharp as PNG. Of 169 drawings those of lines took .04 to .3, shaded ones
.4 and more, where a JPEG is half as large or less."""
MAX_TOTAL_BYTES = 4 << 30
"""What one document may take on disk once it is converted."""

MAX_LOOKS = 60
"""Runs of text of one page that are drawn to see whether a box hides them."""


def save_page_picture(page: "pymupdf.Page", folder: Path) -> str:
    """File name of a picture of the whole page written into `folder`, or "" where none can be made."""
    import pymupdf

    stem = f"p{page.number + 1:03d}"
    images = page.get_images(full=True)
    if sum(_decoded_bytes(image) for image in images) > MAX_DECODED_BYTES:
        return ""
    if jpeg := _whole_page_jpeg(page, images):
        return _write(folder, f"{stem}.jpg", jpeg)
    scale = min(MAX_SCALE, MAX_SIDE / max(page.rect.width, page.rect.height, 1.0))
    bilevel = bool(images) and all(image[4] == 1 for image in images)
    space = pymupdf.csGRAY if bilevel else pymupdf.csRGB
    try:
        pixels = page.get_pixmap(
            matrix=pymupdf.Matrix(scale, scale), colorspace=space, alpha=False, annots=False
        )
        data = pixels.tobytes("png") if bilevel else pixels.tobytes("jpg", jpg_quality=JPEG_QUALITY)
    except library_faults():
        return ""
    name = f"{stem}.{'png' if bilevel else 'jpg'}"
    return _write(folder, name, data)


def save_figure(page: "pymupdf.Page", number: int, box: Box, folder: Path, *, is_drawn: bool) -> str:
    """File name of a picture of what stands in `box`, as a reader sees it, or "" where none can be made.

    `number` is that of the figure on its page, from 1. What is drawn with lines is kept sharp unless it is mostly
    shades.
    """
    import pymupdf

    clip = pymupdf.Rect(box) & page.rect
    side = max(clip.width, clip.height, 1.0)
    scale = min(MAX_SCALE, MAX_SIDE / side)
    if not is_drawn:
        stored = max((max(int(it[2]), int(it[3])) for it in page.get_images(full=True)), default=MAX_SIDE)
        scale = min(scale, max(MIN_SCALE, stored / side))
    try:
        pixels = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), clip=clip, alpha=False, annots=False)
        data, kind = pixels.tobytes("png") if is_drawn else b"", "png"
        if not is_drawn or len(data) > MAX_PNG_DENSITY * pixels.width * pixels.height:
            data, kind = pixels.tobytes("jpg", jpg_quality=JPEG_QUALITY), "jpg"
    except library_faults():
        return ""
    return _write(folder, f"p{page.number + 1:03d}-f{number}.{kind}", data)


def unpacks_to_too_much(page: "pymupdf.Page") -> bool:
    """Whether the images of a page take more than MAX_DECODED_BYTES once unpacked, so that it is not drawn."""
    return sum(_decoded_bytes(image) for image in page.get_images(full=True)) > MAX_DECODED_BYTES


def check_size(total_bytes: int) -> None:
    """Returns where a document's pictures and text may be kept.

    Raises: SourceError `output-too-large`.
    """
    if total_bytes > MAX_TOTAL_BYTES:
        raise SourceError(
            "output-too-large",
            f"its pictures and text take more than {MAX_TOTAL_BYTES >> 20:,} MB; split the PDF,"
            ' or set "page_pictures" to "none"',
        )


def find_blank(page: "pymupdf.Page", boxes: Sequence[Box]) -> list[bool]:
    """Whether nothing shows in each of these boxes of text, told by drawing it; no more than MAX_LOOKS are."""
    import pymupdf

    blank = [False] * len(boxes)
    if unpacks_to_too_much(page):
        return blank
    try:
        drawn = page.get_displaylist()
        for at, (x0, y0, x1, y1) in enumerate(boxes[:MAX_LOOKS]):
            quarter = 0.25 * (y1 - y0)
            clip = pymupdf.Rect(x0, y0 + quarter, x1, y1 - quarter)
            pixels = drawn.get_pixmap(pymupdf.Matrix(2, 2), colorspace=pymupdf.csGRAY, clip=clip)
            blank[at] = pixels.width > 0 and pixels.height > 0 and pixels.is_unicolor
    except library_faults():
        return blank
    return blank


def _write(folder: Path, name: str, data: bytes) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)
    return name


def _decoded_bytes(image: tuple[object, ...]) -> int:
    """Bytes of an image once unpacked; `image` is an entry of get_images()."""
    width, height, bits = (int(str(value)) for value in image[2:5])
    return width * height * max(bits, 1) * (1 if image[5] in ("DeviceGray", "", None) else 3) // 8


def _whole_page_jpeg(page: "pymupdf.Page", images: list[tuple[object, ...]]) -> bytes:
    """The one JPEG a page consists of, as stored, or b"" where the page is anything else."""
    if len(images) != 1 or page.rotation:
        return b""
    xref, mask, colors, kind = int(str(images[0][0])), images[0][1], images[0][5], images[0][8]
    placed = page.get_image_info()
    if (
        len(placed) != 1
        or kind != "DCTDecode"
        or mask
        or colors not in ("DeviceRGB", "DeviceGray", "ICCBased")
    ):
        return b""
    a, b, c, d, _, _ = placed[0]["transform"]
    width, height = placed[0]["bbox"][2] - placed[0]["bbox"][0], placed[0]["bbox"][3] - placed[0]["bbox"][1]
    upright = a > 0 and d > 0 and abs(b) < 0.01 * a and abs(c) < 0.01 * d
    if not upright or width * height < 0.9 * page.rect.width * page.rect.height:
        return b""
    data = bytes(page.parent.xref_stream_raw(xref) or b"")
    return data if data.startswith(b"\xff\xd8") and len(data) <= MAX_JPEG_BYTES else b""
