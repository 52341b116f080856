"""Images: whatever a data set holds, made the RGB picture that an adapter expects."""

from __future__ import annotations

import io
import threading
from collections import OrderedDict
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageOps

_ORIENTATION = 0x0112
_WHITE = (255, 255, 255)


def to_rgb(image: Image.Image) -> Image.Image:
    """Return a picture as RGB, 8 bits a channel.

    Transparent parts (RGBA, LA, palettes) lie over white, as they do on a page. 16-bit and floating-point
    gray is scaled to 8 bits, not cut off. CMYK and gray are converted. An orientation in the EXIF data is
    applied, as ``datasets`` does. Of an animation the first frame is taken.
    """
    if image.getexif().get(_ORIENTATION) is not None:
        image = ImageOps.exif_transpose(image)
    if image.mode in ("RGBA", "LA", "PA", "RGBa", "La") or "transparency" in image.info:
        layer = image.convert("RGBA")
        flat = Image.new("RGB", layer.size, _WHITE)
        flat.paste(layer, mask=layer.getchannel("A"))
        return flat
    if image.mode.startswith("I") or image.mode == "F":
        return _gray(np.asarray(image, dtype=np.float64)).convert("RGB")
    return image.convert("RGB")


def _gray(values: np.ndarray) -> Image.Image:
    """Return gray of any depth as 8 bits: 16-bit values by 257, fractions of 1 by 255, others by their range."""
    top = float(values.max(initial=0.0))
    if top > 65535 or values.min(initial=0.0) < 0:
        low = float(values.min())
        scaled = (values - low) / max(top - low, 1e-12) * 255
    elif top > 255:
        scaled = values / 257
    elif 0 < top <= 1 and not np.array_equal(values, np.round(values)):
        scaled = values * 255
    else:
        scaled = values
    return Image.fromarray(np.clip(np.round(scaled), 0, 255).astype(np.uint8))


def open_image(source: Any) -> Image.Image:
    """Open one image of a data set and decode it.

    Args:
        source: a PIL image, bytes, a path, or ``{"bytes": …, "path": …}`` as ``datasets`` stores it.

    Raises:
        OSError: there is no such file, or it is no image.
    """
    if isinstance(source, Image.Image):
        return to_rgb(source)
    if isinstance(source, dict):
        source = source.get("bytes") or source.get("path")
    if isinstance(source, bytes | bytearray):
        with Image.open(io.BytesIO(source)) as image:
            return to_rgb(image)
    if isinstance(source, str | Path):
        with Image.open(source) as image:
            return to_rgb(image)
    raise OSError(f"got {type(source).__name__}; expected an image, its bytes or its path")


class ImageFolder:
    """The image files that rows name by a path.

    A path begins at the folder of the rows, at ``images`` beside them, or at the root of the data set; where it
    leads nowhere, the one file of that name below the root is meant.
    """

    def __init__(self, beside: Path, root: Path) -> None:
        self._starts = list(dict.fromkeys([beside, beside / "images", root, root / "images"]))
        self._root = root

    def find(self, name: str) -> Path:
        """Return the file that a row means.

        Raises:
            OSError: there is none, or several of its name lie in different folders.
        """
        for start in self._starts:
            if (start / name).is_file():
                return start / name
        found = self._named.get(Path(name).name, [])
        if len(found) == 1:
            return found[0]
        if found:
            raise OSError(f"no file {name}, but {len(found)} of its name, {found[0]} and {found[1]} among them")
        raise OSError(f"no file {name}")

    @cached_property
    def _named(self) -> dict[str, list[Path]]:
        files: dict[str, list[Path]] = {}
        for path in sorted(self._root.rglob("*")):
            if path.is_file():
                files.setdefault(path.name, []).append(path)
        return files


class RecentImages:
    """The images of the last few items, so that the draws of an item share one decoding.

    Adapters get copies: some of them shrink an image in place. Safe to use from several threads.
    """

    def __init__(self, load: Callable[[int], list[Image.Image]], size: int = 8) -> None:
        self._load, self._size = load, size
        self._recent: OrderedDict[int, list[Image.Image]] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, index: int) -> list[Image.Image]:
        """Return the images of an item."""
        with self._lock:
            images = self._recent.pop(index, None)
            if images is None:
                images = self._load(index)
            self._recent[index] = images
            while len(self._recent) > self._size:
                self._recent.popitem(last=False)
        return [image.copy() for image in images]
