import time
from gatehouse.figures.buckets import FigureSpan
from gatehouse.figures.column_filter import ColumnFilter, ColumnMatches
from gatehouse.figures.exploring import Grouping, count_groups
from gatehouse.conditions.parse import read_condition
from gatehouse.conditions.catalogue import Catalogue
from tests.figures.shops import Shop, NOW_MS, DAY_MS
from tests.figures.conftest import shop  # noqa

def test_million(shop):
    shop.fill(5000)
    columns = shop.columns()
    with columns.writing() as asking:
        for n in range(1, 200):
            asking.ask(f"INSERT INTO decision_rows SELECT * REPLACE (left(request_id, 14) || printf('%03d', {n}) || substr(request_id, 18) AS request_id) FROM decision_rows WHERE seen_by IS NULL LIMIT 5000")
    with columns.reading() as asking:
        print(asking.ask("SELECT count(*) FROM decisions"))
    span = FigureSpan(NOW_MS - 60*DAY_MS, NOW_MS)
    cond = ColumnFilter(since_ms=span.since_ms, until_ms=span.until_ms, conditions=(read_condition("order.amount > 50 AND card.country = 'DE'", Catalogue()),))
    plain = ColumnFilter(since_ms=span.since_ms, until_ms=span.until_ms)
    for g in (Grouping("card.country"), Grouping("order.amount"), Grouping("email.domain","card.country"), Grouping("rule"), Grouping("user.id", groups=50), Grouping("ip.address","order.amount")):
        for w in (plain, cond):
            times = []
            for _ in range(3):
                t = time.perf_counter(); found = count_groups(columns, g, span, w); times.append(time.perf_counter()-t)
            print(g.by, g.also, w is cond, found.total.requests, [round(x*1000) for x in times])
    m = ColumnMatches(columns, cond)
    t = time.perf_counter(); ids = m.read(None, None, 51, newest_first=True); print("read", len(ids), round((time.perf_counter()-t)*1000))
    t = time.perf_counter(); m.among(ids); print("among", round((time.perf_counter()-t)*1000))
