from gatehouse.core.limits.lru_cache import LruCache


def test_a_full_cache_forgets_what_was_not_used_for_longest() -> None:
    cache: LruCache[str, int] = LruCache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.find("a") == 1
    cache.put("c", 3)
    assert [cache.find(key) for key in "abc"] == [1, None, 3]
