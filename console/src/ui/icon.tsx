// Icons as paths in a box of 20, drawn with the colour of the text.

const PATHS = {
  mark: "M3 5h14M3 10h9M3 15h5M15 10l2.5 2.5L15 15",
  overview: "M3 16V9M8 16V4M13 16v-5M18 16V7",
  sessions: "M3 5h14M3 10h14M3 15h8",
  records: "M5 3h7l4 4v10H5zM12 3v4h4M8 11h5M8 14h5",
  playground: "M4 4l6 12 2-5 5-2z",
  hooks: "M7 3v7a3 3 0 0 0 6 0M13 10V7l3 3M7 17h0",
  events: "M2 10h4l2-6 4 12 2-6h4",
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
