/** Rows of what refuses, or is refused, most. */
export const shownMax = 6;
