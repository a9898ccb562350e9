"""The shops of these tests are those of the column copy: decisions of every form."""

from tests.figures.conftest import any_shop, shop

__all__ = ["any_shop", "shop"]
