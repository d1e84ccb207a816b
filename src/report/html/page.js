"use strict";
/* Draws the charts of the page from its JSON. */
(function () {
  const data = JSON.parse(document.getElementById("rawtps-data").textContent);
  const dashes = [[], [6, 3], [2, 2], [9, 2]];
  const percentiles = [0, 50, 90, 99, 99.9, 99.99, 99.999];
  const charts = [], stretches = {};
  let zooming = false;

  function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  }

  function digits3(value) {
    const size = Math.abs(value);
    if (size === 0) return "0";
    if (size >= 1e15 || size < 0.0005) return value.toExponential(2);
    const places = size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3;
    const text = value.toFixed(places);
    return places > 0 ? text : text.replace(/\B(?=(\d{3})+$)/g, "\u00a0");
  }

  function scaled(value, steps, names, gap) {
    let i = 0;
    while (i + 1 < steps.length && Math.abs(value) >= steps[i + 1]) i++;
    return digits3(value / steps[i]) + gap + names[i];
  }

  const pad = (n) => String(n).padStart(2, "0");
  const formats = {
    number: digits3,
    clock: (s) => pad(Math.floor(s / 3600)) + ":" + pad(Math.floor(s / 60) % 60) + ":" +
      pad(Math.floor(s % 60)),
    ns: (v) => scaled(v, [1, 1e3, 1e6, 1e9], ["ns", "us", "ms", "s"], ""),
    share: (v) => (v * 100).toFixed(1) + "%",
    bytes: (v) => scaled(v, [1, 1024, 1048576, 1073741824], ["B", "KiB", "MiB", "GiB"], " "),
    percentile: (v) => "p" + Number((100 - Math.pow(10, 2 - v)).toPrecision(7)),
  };
  const show = (unit, value) => value == null ? "–" : formats[unit](value);

  /* Percentiles stand at -log10(1 - p / 100), so that each further nine has the same width. */
  const bend = (axis, x) => axis.unit === "percentile" ? -Math.log10(1 - x / 100) : x;

  /* The points of a series, as they are given. */
  function points(chart, s) {
    const x = Array.isArray(s.x) ? s.x : chart.series[s.x].x;
    const y = chart.yAxis.log ? s.y.map((v) => v > 0 ? v : null) : s.y;
    return [x.map((v) => bend(chart.xAxis, v)), y];
  }

  function ascending([x, y]) {
    const order = x.map((v, i) => i).sort((a, b) => x[a] - x[b]);
    return [order.map((i) => x[i]), order.map((i) => y[i])];
  }

  /* One x that ascends for all series, as the library wants it. */
  function aligned(chart) {
    const tables = chart.series.map((s) => points(chart, s));
    if (chart.curve) return uPlot.join(tables.map(ascending));
    if (chart.series.every((s, i) => i === 0 || s.x === 0)) {
      return [tables[0][0]].concat(tables.map((t) => t[1]));
    }
    return uPlot.join(tables);
  }

  /* The line of a curve, whose x may fall: its points are joined in their own order. */
  function curve(u, chart, s) {
    const [x, y] = points(chart, s), line = new Path2D();
    let down = false;
    x.forEach((v, i) => {
      const at = [u.valToPos(v, "x", true), y[i] == null ? NaN : u.valToPos(y[i], "y", true)];
      if (down && at[1] === at[1]) line.lineTo(...at);
      else if (at[1] === at[1]) line.moveTo(...at);
      down = at[1] === at[1];
    });
    return { stroke: line, fill: null, clip: null, band: null, gaps: null, flags: 1 };
  }

  function words(u, text, x, y, ink, align) {
    u.ctx.save();
    u.ctx.font = 11 * uPlot.pxRatio + "px sans-serif";
    u.ctx.fillStyle = ink;
    u.ctx.textAlign = align;
    u.ctx.fillText(text, x, y);
    u.ctx.restore();
  }

  function drawBands(u, chart) {
    const box = u.bbox, ctx = u.ctx, px = uPlot.pxRatio;
    chart.bands.forEach((band, i) => {
      const from = Math.max(box.left, u.valToPos(band.from, "x", true));
      const until = Math.min(box.left + box.width, u.valToPos(band.until, "x", true));
      if (!(until > from)) return;
      ctx.save();
      ctx.globalAlpha = i % 2 === 0 ? 0.16 : 0.05;
      ctx.fillStyle = colour("band");
      ctx.fillRect(from, box.top, until - from, box.height);
      ctx.restore();
      if (ctx.measureText(band.label).width < until - from) {
        words(u, band.label, from + 4 * px, box.top + 12 * px, colour("faint"), "left");
      }
    });
  }

  function drawLimits(u, chart) {
    const box = u.bbox, ctx = u.ctx, px = uPlot.pxRatio;
    chart.limits.forEach((limit) => {
      const y = u.valToPos(limit.from, "y", true);
      if (!(y >= box.top && y <= box.top + box.height)) return;
      ctx.save();
      ctx.strokeStyle = colour("bad");
      ctx.setLineDash([2 * px, 2 * px]);
      ctx.beginPath();
      ctx.moveTo(box.left, y);
      ctx.lineTo(box.left + box.width, y);
      ctx.stroke();
      ctx.restore();
      words(u, limit.label, box.left + box.width - 3 * px, y - 3 * px, colour("bad"), "right");
    });
    chart.marks.forEach((mark) => {
      const x = u.valToPos(bend(chart.xAxis, mark.from), "x", true);
      const y = u.valToPos(mark.until, "y", true);
      if (!(x >= box.left && x <= box.left + box.width)) return;
      ctx.save();
      ctx.strokeStyle = colour("ink");
      ctx.lineWidth = 2 * px;
      ctx.strokeRect(x - 4 * px, y - 4 * px, 8 * px, 8 * px);
      ctx.font = 11 * px + "px sans-serif";
      const room = x + 8 * px + ctx.measureText(mark.label).width <= box.left + box.width;
      ctx.restore();
      words(u, mark.label, room ? x + 8 * px : x - 8 * px, y - 6 * px, colour("ink"),
        room ? "left" : "right");
    });
  }

  /* Charts of one group show the same stretch of x, those drawn later too. */
  function zoomTogether(u, key) {
    if (key !== "x" || zooming || !u.rawtps.group) return;
    zooming = true;
    const stretch = stretches[u.rawtps.group] = { min: u.scales.x.min, max: u.scales.x.max };
    charts.forEach((other) => {
      if (other !== u && other.rawtps.group === u.rawtps.group) other.setScale("x", stretch);
    });
    zooming = false;
  }

  /* From 0 where that does not flatten the lines; limits and marks are in sight. */
  function rangeY(chart) {
    return (u, least, largest) => {
      chart.limits.forEach((l) => {
        least = Math.min(least, l.from);
        largest = Math.max(largest, l.from);
      });
      /* nothing in view: on a logarithmic axis steps from 0 would never end */
      if (least == null || largest == null) return chart.yAxis.log ? [1, 10] : [0, 1];
      if (chart.yAxis.log) return uPlot.rangeLog(least, largest, 10, true);
      if (least > 0 && least < 0.5 * largest) least = 0;
      const room = (largest - least || Math.abs(largest) || 1) * 0.06;
      return [least === 0 ? 0 : least - room, largest + room];
    };
  }

  function axis(chart, of, size) {
    const ret = {
      stroke: () => colour("faint"), grid: { stroke: () => colour("rule"), width: 1 },
      ticks: { stroke: () => colour("rule"), width: 1 }, label: of.title || undefined,
      labelSize: 18, labelFont: "12px sans-serif", size: size,
      values: (u, splits) => splits.map((v) => v == null ? "" : formats[of.unit](v)),
    };
    if (of.unit === "percentile") {
      ret.splits = () => percentiles.map((p) => bend(of, p));
      ret.filter = (u, splits) => splits;
    } else if (of.unit === "clock") {
      ret.space = 80;
      ret.incrs = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600,
        43200, 86400];
    }
    return ret;
  }

  function options(chart, width) {
    const few = chart.series.every((s) => s.y.length < 100);
    /* on crowded lines dashes cannot be told apart, and cost much to draw */
    const crowded = chart.series.some((s) => s.y.length > 400);
    return {
      width: width, height: 260,
      cursor: chart.group ? { sync: { key: chart.group } } : {},
      scales: {
        x: { time: false },
        y: { distr: chart.yAxis.log ? 3 : 1, range: rangeY(chart) },
      },
      axes: [axis(chart, chart.xAxis, 34), axis(chart, chart.yAxis, 66)],
      series: [{
        label: chart.xAxis.title || "x", value: (u, v) => show(chart.xAxis.unit, v),
      }].concat(chart.series.map((s, i) => ({
        paths: chart.curve ? (u) => curve(u, chart, s) : undefined,
        label: s.label, stroke: () => colour("s" + i % 8), width: (few ? 2 : 1.2) * (s.lead ? 2 : 1),
        dash: crowded ? [] : dashes[i % 4], spanGaps: !chart.group, points: { show: few ? true : undefined },
        value: (u, v) => show(chart.yAxis.unit, v),
      }))),
      hooks: {
        drawClear: [(u) => drawBands(u, chart)], draw: [(u) => drawLimits(u, chart)],
        setScale: [zoomTogether],
      },
    };
  }

  function button(u, place) {
    const reset = document.createElement("button");
    reset.type = "button";
    reset.textContent = "whole range";
    reset.title = "Drag over the chart to zoom, double-click for the whole range";
    reset.addEventListener("click", () => {
      const x = u.data[0];
      u.setScale("x", { min: x[0], max: x[x.length - 1] });
    });
    place.appendChild(reset);
  }

  /* A chart that cannot be drawn is no reason to leave out the others. */
  function draw(chart, place) {
    try {
      drawIn(chart, place);
    } catch (error) {
      place.textContent = "This chart cannot be drawn: " + error.message;
    }
  }

  function drawIn(chart, place) {
    const u = new uPlot(options(chart, place.clientWidth || 800), aligned(chart), place);
    u.rawtps = chart;
    charts.push(u);
    if (stretches[chart.group]) u.setScale("x", stretches[chart.group]);
    button(u, place);
    if (window.ResizeObserver) {
      new ResizeObserver(() => {
        if (place.clientWidth > 0 && place.clientWidth !== u.width) {
          u.setSize({ width: place.clientWidth, height: 260 });
        }
      }).observe(place);
    }
  }

  /* What is in sight is drawn at once, the rest when the browser has time for it, or prints. */
  const later = window.requestIdleCallback || ((task) => setTimeout(task, 0));
  const undrawn = data.map((chart) => [chart, document.getElementById(chart.id)])
    .filter(([chart, place]) => place && chart.series.length > 0);

  function drawWhile(wanted) {
    while (undrawn.length > 0 && wanted(undrawn[0][1])) draw(...undrawn.shift());
  }

  function drawNext() {
    if (undrawn.length > 0) {
      draw(...undrawn.shift());
      later(drawNext);
    }
  }

  drawWhile((place) => place.getBoundingClientRect().top < window.innerHeight);
  later(drawNext);
  window.addEventListener("beforeprint", () => drawWhile(() => true));
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    charts.forEach((u) => u.redraw());
  });
  window.rawtpsCharts = charts;
  window.rawtpsUndrawn = undrawn;
})();
