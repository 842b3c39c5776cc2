// A chart of lines over time, drawn by uPlot in the colours of the theme.

import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { short } from "../format.ts";
import { themeChanges } from "../state/theme.ts";

export interface Line {
  label: string;
  /** The name of a custom property, such as `--accent`. */
  colour: string;
  values: number[];
  fill?: boolean;
}

const UNITS = { day: { seconds: 86_400, steps: [1, 2, 5, 7, 14] }, hour: { seconds: 3600, steps: [1, 2, 3, 4, 6] } };

export function LineChart({ times, unit, lines, height = 180, label, write = short }: {
  /** Seconds since 1970, a unit apart. */
  times: number[];
  unit: "day" | "hour";
  lines: Line[];
  height?: number;
  label: string;
  write?: (value: number) => string;
}) {
  const box = useRef<HTMLDivElement>(null);
  const change = themeChanges.value;
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const styles = getComputedStyle(document.documentElement);
    const colour = (name: string) => styles.getPropertyValue(name).trim();
    const axis = { stroke: colour("--muted"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif" };
    const plot = new uPlot({
      width: element.clientWidth,
      height,
      legend: { show: false },
      // Room for half of the last label.
      padding: [null, 26, null, null],
      cursor: { y: false, points: { size: 6 } },
      scales: { y: { range: (_, __, max) => [0, Math.max(max, 1) * 1.08] } },
      axes: [
        {
          ...axis, grid: { show: false }, size: 30, incrs: UNITS[unit].steps.map((many) => many * UNITS[unit].seconds), space: unit === "hour" ? 74 : 56,
          splits: (_, __, ___, ____, increment) => times.filter((___time, at) => (times.length - 1 - at) % Math.max(Math.round(increment / UNITS[unit].seconds), 1) === 0),
          values: (_, found) => found.map((at) => written(at, unit)),
        },
        { ...axis, size: 56, values: (_, ticks) => ticks.map(write), space: 30 },
      ],
      series: [
        {},
        ...lines.map((line) => ({
          label: line.label,
          stroke: colour(line.colour),
          width: 1.75,
          ...(line.fill ? { fill: `${colour(line.colour)}1f` } : {}),
          points: { show: times.length < 2, size: 6 },
        })),
      ],
    }, [times, ...lines.map((line) => line.values)], element);
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [times, unit, lines, height, change]);
  return <div class="line-chart" ref={box} role="img" aria-label={label} />;
}

/** A day of UTC, or an hour in local time. */
export function written(seconds: number, unit: "day" | "hour"): string {
  if (unit === "hour") return new Date(seconds * 1000).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
  return new Date(seconds * 1000).toLocaleDateString(undefined, { month: "short", day: "numeric", timeZone: "UTC" });
}

/** A small line without axes. */
export function Spark({ values, label }: { values: number[]; label: string }) {
  const top = Math.max(...values, 1);
  const step = 100 / Math.max(values.length - 1, 1);
  const points = values.map((value, at) => `${(at * step).toFixed(1)},${(23 - (21 * value) / top).toFixed(1)}`);
  if (values.length < 2) return null;
  return (
    <svg class="spark" viewBox="0 0 100 24" preserveAspectRatio="none" role="img" aria-label={label}>
      <polygon points={`0,24 ${points.join(" ")} 100,24`} />
      <polyline points={points.join(" ")} />
    </svg>
  );
}
