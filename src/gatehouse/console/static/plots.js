// Charts over time: values under the pointer, and a closer look by dragging.
// Without this script the picture of the server and its table say the same.
"use strict";

(() => {
  const numbers = new Intl.NumberFormat(document.documentElement.lang || "en", { maximumFractionDigits: 2 });

  const colour = (name) => {
    const probe = document.createElement("span");
    probe.style.color = `var(${name})`;
    document.body.append(probe);
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  };

  // Each series on top of those before it.
  const stacked = (series) => {
    const sums = [];
    let below = series[0].values.map(() => 0);
    for (const each of series) {
      below = below.map((sum, place) => sum + (each.values[place] ?? 0));
      sums.push(below);
    }
    return sums;
  };

  // So many labels stand on an axis as there is room for.
  const widest = (labels, font) => {
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = font;
    return Math.max(...labels.map((each) => pen.measureText(each).width));
  };

  // The values of the part under the pointer, beside it; parts of a whole from top to bottom.
  const tip = (data) => {
    const box = document.createElement("div");
    box.className = "plot-tip";
    box.hidden = true;
    const show = (chart) => {
      const { idx, left, top } = chart.cursor;
      box.hidden = idx == null || left < 0;
      if (box.hidden) return;
      const head = document.createElement("strong");
      head.textContent = data.labels[idx];
      const list = document.createElement("dl");
      for (const each of data.stacked ? [...data.series].reverse() : data.series) {
        const name = document.createElement("dt");
        name.textContent = each.name;
        const value = document.createElement("dd");
        value.textContent = each.texts[idx];
        list.append(name, value);
      }
      box.replaceChildren(head, list);
      const over = chart.over;
      const right = left + box.offsetWidth + 24 > over.clientWidth;
      box.style.left = `${over.offsetLeft + Math.max(0, right ? left - box.offsetWidth - 12 : left + 12)}px`;
      box.style.top = `${over.offsetTop + Math.min(top, 40)}px`;
    };
    return { hooks: { init: [(chart) => chart.root.append(box)], setCursor: [show] } };
  };

  const look = (plot, data) => {
    const muted = colour("--muted");
    const grid = { stroke: colour("--chart-grid"), width: 1 };
    const font = `11px ${getComputedStyle(document.body).fontFamily}`;
    const order = data.series.map((_, place) => place);
    // The tallest is drawn first, so that the others stand in front of it.
    if (data.stacked) order.reverse();
    const sums = data.stacked ? stacked(data.series) : data.series.map((each) => each.values);
    const one = (place) => {
      const paint = colour(data.series[place].colour);
      const about = { label: data.series[place].name, stroke: paint };
      return data.stacked
        ? { ...about, fill: paint, width: 0, paths: uPlot.paths.bars({ size: [0.8, 64] }), points: { show: false } }
        : { ...about, width: 1.75, points: { size: 5 } };
    };
    const padded = (_, low, high) => (data.stacked || low === high ? [low - 0.5, high + 0.5] : [low, high]);
    return {
      options: {
        width: plot.clientWidth,
        height: data.height,
        scales: { x: { time: false, range: padded }, y: { range: (_, __, high) => uPlot.rangeNum(0, high || 1, 0.1, true) } },
        axes: [
          { stroke: muted, font, label: data.head, labelFont: font, labelSize: 18, grid: { show: false }, ticks: { show: false }, size: 28, incrs: [1, 2, 3, 6, 12, 24, 48, 96], space: widest(data.labels, font) + 16,
            values: (_, places) => places.map((place) => data.labels[place] ?? "") },
          { stroke: muted, font, label: data.axis || undefined, labelFont: font, labelSize: 18, grid, ticks: { show: false }, size: 56, values: (_, found) => found.map((each) => numbers.format(each) + data.unit) },
        ],
        series: [{ label: data.head }, ...order.map(one)],
        cursor: { drag: { x: true, y: false, setScale: false }, points: { show: !data.stacked } },
        legend: { show: false },
        plugins: [tip(data)],
        hooks: { setSelect: [(chart) => narrow(chart, data)] },
      },
      values: [data.labels.map((_, place) => place), ...order.map((place) => sums[place])],
    };
  };

  const narrow = (chart, data) => {
    const { left, width } = chart.select;
    if (width < 4) return;
    const last = data.labels.length - 1;
    const within = (place) => Math.min(last, Math.max(0, Math.round(place)));
    const low = within(chart.posToVal(left, "x"));
    const high = within(chart.posToVal(left + width, "x"));
    chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    const from = data.firsts[low];
    const to = data.lasts[high];
    // Days are the finest span: within one, the picture alone comes closer. A double click leads back.
    if (from === data.firsts[0] && to === data.lasts[last]) {
      chart.setScale("x", { min: low, max: high });
      return;
    }
    const goes = new URL(data.url, location.href);
    goes.searchParams.set("from", from);
    goes.searchParams.set("to", to);
    location.assign(goes);
  };

  const draw = (plot) => {
    const data = JSON.parse(plot.dataset.plot);
    if (data.labels.length < 2 || !window.uPlot) return;
    plot.querySelector(".plot-live")?.remove();
    const live = document.createElement("div");
    live.className = "plot-live";
    // The picture and the table of the server stay for those who do not see this one.
    live.setAttribute("aria-hidden", "true");
    plot.prepend(live);
    const { options, values } = look(live, data);
    const chart = new uPlot(options, values, live);
    const hint = document.createElement("p");
    hint.className = "hint";
    hint.textContent = data.hint;
    live.append(hint);
    plot.classList.add("is-live");
    new ResizeObserver(() => {
      if (live.clientWidth && live.clientWidth !== chart.width) chart.setSize({ width: live.clientWidth, height: data.height });
    }).observe(live);
  };

  const all = () => { for (const plot of document.querySelectorAll("[data-plot]")) draw(plot); };
  all();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", all);
})();
