import type { Key, ReactNode } from 'react';

export type Column<Row> = {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers stand to the right, one below the other. */
  readonly align?: 'right';
  /** The column of controls: its title is for who hears the page. */
  readonly isControls?: boolean;
};

/** Rows of one kind. What is wider than the screen scrolls by itself, by keyboard too. */
export function Table<Row>({
  caption,
  columns,
  rows,
  rowKey,
  empty,
}: {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => Key;
  /** In place of no rows. */
  readonly empty?: ReactNode;
}) {
  if (rows.length === 0 && empty !== undefined) return empty;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- else keyboards could not scroll it
    <div className="table-scroll" role="group" aria-label={caption} tabIndex={0}>
      <table className="table">
        <caption className="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, align, isControls }) => (
              <th key={title} scope="col" className={classOf(align)}>
                <span className={isControls === true ? 'hidden' : ''}>{title}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map(({ title, cell, align, isControls }) => (
                <td key={title} className={isControls === true ? 'controls' : classOf(align)}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function classOf(align: 'right' | undefined): string {
  return align === 'right' ? 'right' : '';
}
