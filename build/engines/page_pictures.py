"""Pictures of pages that have no text, small enough to publish and safe to make."""

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
MAX_TOTAL_BYTES = 4 << 30
"""What one document may take on disk once it is converted."""
MIN_FIGURE, MAX_FIGURE = 0.01, 0.6
"""Share of the page from which an image is a figure, and from which it is the page's ground. Of the images of 97
documents icons and logos took less than .005, drawings and formulas more than .01."""
MIN_ANY_FIGURE, EDGE = 0.08, 0.12
"""Share from which an image is a figure wherever it stands. A smaller one is a logo in this share of the page's
height at its head and foot, and beside text an icon, or would part lines that belong together."""
MAX_SMALL_FIGURES = 100
"""Images on a page of more are not looked at one by one; only large ones are figures."""
MAX_FIGURES = 12
"""Figures of one page; more are tiles of one picture."""

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


def save_figures(
    page: "pymupdf.Page", boxes: Sequence[Box], texts: Sequence[Box], folder: Path
) -> list[tuple[Box, str]]:
    """Pictures of the larger images on a page of text, each with its box and file name, top down.

    `boxes` and those of `texts` are in the coordinates a reader sees. Small images (icons, logos) and those under
    most of the page are no figures.
    """
    import pymupdf

    area = max(page.rect.width * page.rect.height, 1.0)
    shares = {box: (box[2] - box[0]) * (box[3] - box[1]) / area for box in boxes}
    sized = [box for box, share in shares.items() if MIN_FIGURE < share < MAX_FIGURE]
    least = MIN_FIGURE if len(sized) <= MAX_SMALL_FIGURES else MIN_ANY_FIGURE
    wanted = [
        box
        for box in sized
        if shares[box] > MIN_ANY_FIGURE
        or (shares[box] > least and _stands_alone(box, texts, page.rect.height))
    ]
    if len(wanted) > MAX_FIGURES:
        wanted = sorted(wanted, key=lambda box: -shares[box])[:MAX_FIGURES]
    images = page.get_images(full=True) if wanted else []
    if not wanted or sum(_decoded_bytes(image) for image in images) > MAX_DECODED_BYTES:
        return []
    stored = max((max(int(image[2]), int(image[3])) for image in images), default=MAX_SIDE)
    saved = list[tuple[Box, str]]()
    for number, box in enumerate(sorted(wanted, key=lambda box: (box[1], box[0])), start=1):
        clip = pymupdf.Rect(box) & page.rect
        side = max(clip.width, clip.height, 1.0)
        scale = min(MAX_SCALE, MAX_SIDE / side, max(MIN_SCALE, stored / side))
        try:
            pixels = page.get_pixmap(
                matrix=pymupdf.Matrix(scale, scale), clip=clip, alpha=False, annots=False
            )
            data = pixels.tobytes("jpg", jpg_quality=JPEG_QUALITY)
        except library_faults():
            continue
        name = f"p{page.number + 1:03d}-f{number}.jpg"
        saved.append((box, _write(folder, name, data)))
    return saved


def _stands_alone(box: Box, texts: Sequence[Box], height: float) -> bool:
    """Whether an image lies in the body of a page with no text beside it; labels may lie over it."""
    if box[3] < EDGE * height or box[1] > (1 - EDGE) * height:
        return False
    return not any(
        box[1] < (text[1] + text[3]) / 2 < box[3] and (text[2] < box[0] or text[0] > box[2]) for text in texts
    )


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
    if sum(_decoded_bytes(image) for image in page.get_images(full=True)) > MAX_DECODED_BYTES:
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
