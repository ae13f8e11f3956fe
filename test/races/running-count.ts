/** How many processes race; in memory as many callers. */
export const processCount = 8;
