// Icons as paths in a box of 20, drawn with the colour of the text.

const PATHS = {
  mark: "M3 5h14M3 10h9M3 15h5M15 10l2.5 2.5L15 15",
  overview: "M3 16V9M8 16V4M13 16v-5M18 16V7",
  sessions: "M3 5h14M3 10h14M3 15h8",
  records: "M5 3h7l4 4v10H5zM12 3v4h4M8 11h5M8 14h5",
  playground: "M4 4l6 12 2-5 5-2z",
  hooks: "M10 2.500v8.500M10 11a3.500 3.500 0 1 1-3.500 3.500M8 2.500h4",
  events: "M2 10h4l2-6 4 12 2-6h4",
  cache: "M3 6h14M3 10h6M3 14h6M12 9l5 6M17 9l-5 6",
  inventory: "M3 7l7-4 7 4v7l-7 4-7-4zM3 7l7 4 7-4M10 11v7",
  memory: "M5 4h10v13l-5-3.5L5 17z",
  packs: "M10 2.5 16.5 5v5c0 4-2.8 6.4-6.5 7.5C6.300 16.4 3.500 14 3.500 10V5zM7 10l2.2 2.200L13.200 8",
  keys: "M12.500 3.500a4 4 0 1 1-3.700 5.500L3 14.800V17h2.500v-2H8v-2.200l1.600-1.600",
  settings: "M3 6h8M15 6h2M3 14h2M9 14h8M13 4v4M7 12v4",
  api: "M7 5l-5 5 5 5M13 5l5 5-5 5",
  problems: "M10 3l8 14H2zM10 8v4M10 14.500v.2",
  drag: "M7 5h0M13 5h0M7 10h0M13 10h0M7 15h0M13 15h0",
  up: "M4 13l6-6 6 6",
  down: "M4 7l6 6 6-6",
  light: "M10 6a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM10 1.5v2M10 16.5v2M1.5 10h2M16.5 10h2M4 4l1.4 1.4M14.6 14.6 16 16M4 16l1.4-1.4M14.6 5.4 16 4",
  dark: "M16.5 12.5A7 7 0 0 1 7.5 3.5a7 7 0 1 0 9 9z",
  system: "M3 4h14v9H3zM7 17h6M10 13v4",
  next: "M7 4l6 6-6 6",
  previous: "M13 4l-6 6 6 6",
  flag: "M5 17V3h9l-2 3.5L14 10H5",
  copy: "M7 7h9v10H7zM4 13V3h9",
  back: "M16 10H4M9 5l-5 5 5 5",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
