const paths = {
  alert:
    'M12 8v5M12 16.5v.01M10.3 4.2 2.9 17a2 2 0 0 0 1.7 3h14.8a2 2 0 0 0 1.7-3L13.7 4.2a2 2 0 0 0-3.4 0z',
  arrow: 'M5 12h14M13 6l6 6-6 6',
  audit:
    'M8 4h8M9 3h6v3H9zM6 5H5a1 1 0 0 0-1 1v14a1 1 0 0 0 1 1h14a1 1 0 0 0 1-1V6a1 1 0 0 0-1-1h-1M8 11h8M8 15h5',
  book: 'M5 4.5A1.5 1.5 0 0 1 6.5 3H19v15H6.5A1.5 1.5 0 0 0 5 19.5zM5 19.5A1.5 1.5 0 0 0 6.5 21H19',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  chevron: 'M9 6l6 6-6 6',
  close: 'M6 6l12 12M18 6L6 18',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  decision: 'M6 3h9l4 4v14H6zM14 3v5h5M9 13l2 2 4-4',
  gauge: 'M4 18a9 9 0 1 1 16 0M12 14l4-5',
  key: 'M14.5 9.5a4.5 4.5 0 1 0-4.2 4.5L12 12.3h2v2h2v2h4v-3.6l-5.6-5.6zM8 9v.01',
  menu: 'M4 7h16M4 12h16M4 17h16',
  minus: 'M6 12h12',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z',
  more: 'M12 6v.01M12 12v.01M12 18v.01',
  play: 'M7 4.5v15l12-7.5z',
  plan: 'M4 6h16M4 12h10M4 18h13',
  plus: 'M12 5v14M5 12h14',
  policy: 'M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6z',
  quota: 'M12 4v4M12 8H6v4M12 8h6v4M6 12v8M18 12v8M4 16h4M16 16h4',
  refresh: 'M20 11a8 8 0 1 0-2 6M20 5v6h-6',
  rollout: 'M4 19h4v-5h4v-5h4V4h4',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16.2 16.2 21 21',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5',
  signOut: 'M14 4h5v16h-5M10 8l-4 4 4 4M6 12h9',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4',
  tenant:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20a6.5 6.5 0 0 1 13 0M16 4.5a3.5 3.5 0 0 1 0 6.6M18 14.2a6.5 6.5 0 0 1 3.5 5.8',
  trash: 'M5 7h14M10 4h4M7 7l1 13h8l1-13',
  usage: 'M4 20V10M10 20V4M16 20v-7M21 20H3',
} as const;

export type IconName = keyof typeof paths;

/** Decoration, unless it has a label. */
export function Icon({
  name,
  label,
  size = 16,
}: {
  readonly name: IconName;
  readonly label?: string;
  readonly size?: number;
}) {
  const naming =
    label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label };
  return (
    <svg className="icon" viewBox="0 0 24 24" width={size} height={size} {...naming}>
      <path d={paths[name]} />
    </svg>
  );
}
