/** Colours that mean nothing but “another one”, each with a dash of its own for who can't tell them. */
export const hues = [
  'hue-1',
  'hue-2',
  'hue-3',
  'hue-4',
  'hue-5',
  'hue-6',
  'hue-7',
  'hue-8',
] as const;
export type Hue = (typeof hues)[number];

export const dashes: Readonly<Record<Hue, readonly number[]>> = {
  'hue-1': [],
  'hue-2': [6, 3],
  'hue-3': [2, 3],
  'hue-4': [8, 3, 2, 3],
  'hue-5': [12, 4],
  'hue-6': [4, 2],
  'hue-7': [1, 2],
  'hue-8': [12, 3, 3, 3],
};
