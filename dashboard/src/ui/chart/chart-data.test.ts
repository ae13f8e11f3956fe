import { expect, it } from 'vitest';
import { alignedData, drawingOrder, type Band } from './chart-data.ts';

const band = (id: string, kind: Band['kind'], values: number[]): Band => ({
  id,
  label: id,
  color: '--accent',
  kind,
  values,
});

it('puts areas upon each other, draws the whole first, and leaves lines as they are', () => {
  const bands = [
    band('low', 'area', [1, 2]),
    band('line', 'line', [7, 8]),
    band('high', 'area', [3, 0]),
  ];
  expect(drawingOrder(bands).map(({ id }) => id)).toEqual(['high', 'low', 'line']);
  expect(alignedData([10, 20], bands)).toEqual([
    [10, 20],
    [4, 2],
    [1, 2],
    [7, 8],
  ]);
});
