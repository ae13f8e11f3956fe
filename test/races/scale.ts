/** Of the sizes that `npm run test:races` has; every day a part of them is enough. */
export const raceScale = Number(process.env['RACE_SCALE'] ?? 0.4);
