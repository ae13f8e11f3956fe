import type { ReactNode } from 'react';
import { SelectField, TextField } from './inputs.tsx';

/** By their names in the API; empty is any. */
export type FilterValues = Readonly<Record<string, string>>;

/** One is typed, or chosen where there are options. */
export type Filter<Values> = {
  readonly name: keyof Values & string;
  readonly label: string;
  readonly maxLength?: number;
  readonly options?: readonly { readonly value: string; readonly label: string }[];
};

/** What a list is narrowed to. */
export function Filters<Values extends FilterValues>({
  label,
  filters,
  value,
  onChange,
  isInset = false,
  children,
}: {
  /** What is narrowed. */
  readonly label: string;
  readonly filters: readonly Filter<Values>[];
  readonly value: Values;
  readonly onChange: (value: Values) => void;
  /** Within the card that the list is in. */
  readonly isInset?: boolean;
  /** What can be done with those that are found. */
  readonly children?: ReactNode;
}) {
  return (
    <search className={`filters ${isInset ? 'filters-inset' : ''}`} aria-label={label}>
      {filters.map(({ name, label: title, options, maxLength }) => {
        const own = {
          label: title,
          name,
          value: value[name] ?? '',
          onChange: (text: string) => onChange({ ...value, [name]: text }),
        };
        return options ? (
          <SelectField key={name} {...own} options={options} />
        ) : (
          <TextField key={name} {...own} type="search" maxLength={maxLength} />
        );
      })}
      {children}
    </search>
  );
}
