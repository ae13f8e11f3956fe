/** A table, its headings first, padded so that it reads as well in a terminal. */
export function renderMarkdown(
  rows: readonly (readonly string[])[],
  /** Columns of numbers. */
  rightAligned: ReadonlySet<number>,
): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const pad = (text: string, column: number) => {
    const width = widths[column] ?? 0;
    return rightAligned.has(column) ? text.padStart(width) : text.padEnd(width);
  };
  const padded = rows.map((row) => joined(row.map(pad)));
  const rule = joined(
    widths.map((width, at) =>
      rightAligned.has(at) ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width),
    ),
  );
  return [padded[0], rule, ...padded.slice(1)].join('\n');
}

function joined(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
