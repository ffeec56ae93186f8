"""Boxes that touch, directly or through others, hang together."""

import random

from docshelf.build.converting.converted import Box
from docshelf.build.engines.islands import CELL, islands


def grouped(*boxes: Box) -> list[list[int]]:
    return sorted(sorted(group) for group in islands(boxes, 600, 800))


def test_boxes_apart_are_groups_of_their_own() -> None:
    assert grouped((10, 10, 20, 20), (40, 10, 50, 20), (10, 40, 20, 50)) == [[0], [1], [2]]


def test_boxes_hang_together_through_others() -> None:
    assert grouped((10, 10, 20, 20), (100, 10, 110, 20), (20, 12, 100, 14)) == [[0, 1, 2]]


def test_a_gap_narrower_than_a_cell_is_none_and_one_of_three_cells_is() -> None:
    assert grouped((10, 10, 20, 20), (20 + CELL - 0.1, 10, 50, 20)) == [[0, 1]]
    assert grouped((10, 10, 20, 20), (20 + 3 * CELL, 10, 50, 20)) == [[0], [1]]


def test_boxes_that_meet_at_a_corner_hang_together() -> None:
    assert grouped((12, 12, 17, 17), (18, 18, 23, 23)) == [[0, 1]]
    assert grouped((18, 12, 23, 17), (12, 18, 17, 23)) == [[0, 1]]


def test_a_box_inside_a_hollow_ring_is_apart_from_it() -> None:
    ring = [(10, 10, 200, 12), (10, 198, 200, 200), (10, 10, 12, 200), (198, 10, 200, 200)]
    assert grouped(*ring, (90, 90, 110, 110)) == [[0, 1, 2, 3], [4]]


def test_boxes_without_area_and_at_the_edges_of_the_page_are_grouped_too() -> None:
    assert grouped((0, 0, 0, 0), (600, 800, 600, 800)) == [[0], [1]]
    assert islands([], 600, 800) == []


def test_a_page_of_any_size_takes_a_net_of_bounded_size() -> None:
    boxes: list[Box] = [(0, 0, 1e9, 5e5), (2e6, 9e5, 3e6, 1e6), (5e8, 5e8, 6e8, 6e8)]
    assert sorted(islands(boxes, 1e9, 1e9)) == [[0, 1], [2]]


def test_every_box_is_in_one_group_and_boxes_that_overlap_are_in_the_same() -> None:
    draw = random.Random(7)
    for _ in range(50):
        corners = [(draw.uniform(0, 560), draw.uniform(0, 760)) for _ in range(40)]
        boxes = [(x, y, x + draw.uniform(0, 40), y + draw.uniform(0, 40)) for x, y in corners]
        groups = islands(boxes, 600, 800)
        assert sorted(place for group in groups for place in group) == list(range(40))
        group_of = {place: number for number, group in enumerate(groups) for place in group}
        for one, a in enumerate(boxes):
            for other, b in enumerate(boxes):
                if a[0] <= b[2] and b[0] <= a[2] and a[1] <= b[3] and b[1] <= a[3]:
                    assert group_of[one] == group_of[other]
