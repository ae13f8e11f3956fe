import pg from 'pg';

/** How values arrive, the same from both databases. Instants are `Date`, to the millisecond. */
export const valueTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.INT8 && format !== 'binary'
      ? parseBigint
      : pg.types.getTypeParser(oid, format),
};

function parseBigint(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) {
    throw new RangeError(`a bigint of the database is beyond what a number holds: ${text}`);
  }
  return value;
}
