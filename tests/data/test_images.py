import io
import threading

import numpy as np
import pytest
from PIL import Image

from vlrb_tasks.data.images import RecentImages, open_image, to_rgb


def pixel(image: Image.Image) -> tuple[int, int, int]:
    assert image.mode == "RGB"
    return image.getpixel((0, 0))


def test_transparent_parts_lie_over_white():
    assert pixel(to_rgb(Image.new("RGBA", (2, 2), (255, 0, 0, 0)))) == (255, 255, 255)
    assert pixel(to_rgb(Image.new("RGBA", (2, 2), (0, 0, 0, 128)))) == (127, 127, 127)
    assert pixel(to_rgb(Image.new("LA", (2, 2), (0, 0)))) == (255, 255, 255)


def test_palettes_with_and_without_transparency():
    palette = Image.new("P", (2, 2), 1)
    palette.putpalette([10, 20, 30, 200, 0, 0])
    assert pixel(to_rgb(palette)) == (200, 0, 0)
    buffer = io.BytesIO()
    palette.save(buffer, "PNG", transparency=1)
    assert pixel(open_image(buffer.getvalue())) == (255, 255, 255)


def test_rgb_with_a_transparent_colour():
    image = Image.new("RGB", (2, 2), (1, 2, 3))
    image.info["transparency"] = (1, 2, 3)
    assert pixel(to_rgb(image)) == (255, 255, 255)


def test_gray_of_every_depth():
    assert pixel(to_rgb(Image.new("L", (2, 2), 77))) == (77, 77, 77)
    assert pixel(to_rgb(Image.new("1", (2, 2), 1))) == (255, 255, 255)
    sixteen = Image.fromarray(np.full((2, 2), 32896, dtype=np.uint16))
    assert pixel(to_rgb(sixteen)) == (128, 128, 128)  # 32896 / 257
    buffer = io.BytesIO()
    sixteen.save(buffer, "PNG")
    assert pixel(open_image(buffer.getvalue())) == (128, 128, 128)
    assert pixel(to_rgb(Image.fromarray(np.full((2, 2), 0.5, dtype=np.float32)))) == (128, 128, 128)
    assert pixel(to_rgb(Image.fromarray(np.full((2, 2), 65535, dtype=np.int32)))) == (255, 255, 255)


def test_cmyk_and_orientation():
    assert pixel(to_rgb(Image.new("CMYK", (2, 2), (0, 0, 0, 0)))) == (255, 255, 255)
    image = Image.new("RGB", (4, 2))
    exif = Image.Exif()
    exif[0x0112] = 6
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", exif=exif)
    assert open_image(buffer.getvalue()).size == (2, 4)


def test_sources(tmp_path):
    Image.new("RGB", (3, 3)).save(tmp_path / "a.png")
    assert open_image(tmp_path / "a.png").size == (3, 3)
    assert open_image({"bytes": None, "path": str(tmp_path / "a.png")}).size == (3, 3)
    assert open_image({"bytes": (tmp_path / "a.png").read_bytes(), "path": "x"}).size == (3, 3)
    with pytest.raises(OSError):
        open_image(b"no image")
    with pytest.raises(OSError, match="expected an image"):
        open_image(3)


def test_the_draws_of_an_item_share_one_decoding():
    loaded = []

    def load(index):
        loaded.append(index)
        return [Image.new("RGB", (2, 2))]

    recent = RecentImages(load, size=2)
    first = recent(0)[0]
    first.paste((255, 0, 0), (0, 0, 2, 2))  # what an adapter does to its copy does not reach the next
    assert recent(0)[0].getpixel((0, 0)) == (0, 0, 0)
    recent(1), recent(0), recent(2), recent(0), recent(1)
    assert loaded == [0, 1, 2, 1]


def test_threads_do_not_decode_twice():
    loaded = []
    recent = RecentImages(lambda index: loaded.append(index) or [], size=8)
    threads = [threading.Thread(target=recent, args=(i % 4,)) for i in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(loaded) == [0, 1, 2, 3]
