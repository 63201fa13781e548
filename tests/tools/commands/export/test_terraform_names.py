"""Names of exported resources are short where Terraform's addresses say things twice."""

from __future__ import annotations

import pytest

from clouddb_tools.commands.export.names import Wish, plural
from clouddb_tools.commands.export.terraform_names import wishes

SERVICE, BOARD, PIPE = "Service", "Dashboard", "Pipe"
ONE: dict[str, tuple[str, str, Wish]] = {
    "a label": (SERVICE, "clickhouse_service.shop", Wish("shop")),
    "of a module of the same name": (SERVICE, "module.prod.clickhouse_service.prod", Wish("prod")),
    "that begins with the module": (SERVICE, "module.prod.clickhouse_service.prod_shop", Wish("prod-shop")),
    "that the module ends with": (SERVICE, "module.shop_prod.clickhouse_service.prod", Wish("shop-prod")),
    "that says nothing": (SERVICE, "module.shop.clickhouse_service.this", Wish("shop")),
    "that says nothing, alone": (SERVICE, "clickhouse_service.this", Wish("service")),
    "main, alone": (SERVICE, "clickhouse_service.main", Wish("main")),
    "that is the type": (BOARD, "module.shop.clickhouse_clickstack_dashboard.dashboard", Wish("shop")),
    "that is the type, with a key": (
        *(BOARD, 'clickhouse_clickstack_dashboard.dashboards["orders"]'),
        Wish("orders", "dashboards", "orders"),
    ),
    "with a key": (SERVICE, 'clickhouse_service.shop["eu"]', Wish("shop-eu", "shops", "eu")),
    "with a number": (SERVICE, "clickhouse_service.shop[0]", Wish("shop-0")),
    "of a module with a key": (
        SERVICE,
        'module.shop["eu"].clickhouse_service.this',
        Wish("shop-eu", "shop-services", "eu"),
    ),
    "in singular": (
        *(BOARD, 'module.boards["eu"].clickhouse_clickstack_dashboard.board[0]'),
        Wish("boards-eu-0"),
    ),
    "of modules in each other": (
        *(PIPE, 'module.shop.module.pipes["clicks"].clickhouse_clickpipe.this'),
        Wish("shop-clicks", "shop-pipes", "clicks"),
    ),
    "with another module's word in the key": (
        *(SERVICE, 'clickhouse_service.shop["module.a clickhouse_service.b"]'),
        Wish("shop-module-a-clickhouse-service-b", "shops", "module-a-clickhouse-service-b"),
    ),
    "with escapes in the key": (SERVICE, 'clickhouse_service.a["\\u202ex\\"y"]', Wish("a-x-y", "as", "x-y")),
}


@pytest.mark.parametrize(("kind", "address", "wish"), ONE.values(), ids=ONE)
def test_names_say_nothing_twice(kind: str, address: str, wish: Wish) -> None:
    """Nor the type of the resource, and no label such as `this` if there is another."""
    assert wishes({(kind, "1"): address}) == {(kind, "1"): wish}


def test_equal_short_names_of_a_kind_are_whole() -> None:
    """Another kind can have the same name."""
    found = wishes(
        {
            (SERVICE, "1"): "module.prod.clickhouse_service.prod",
            (SERVICE, "2"): "module.prod.clickhouse_service.this",
            (PIPE, "3"): "module.prod.clickhouse_clickpipe.prod",
        }
    )
    assert [each.name for each in found.values()] == ["prod-prod", "prod-this", "prod"]


@pytest.mark.parametrize(("name", "several"), [("query", "queries"), ("key", "keys"), ("search", "searches")])
def test_plural(name: str, several: str) -> None:
    """As in English; the plural of a plural is the same."""
    assert plural(name) == plural(several) == several
