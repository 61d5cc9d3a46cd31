import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { useTexts } from '../components/context.js';
import { useLoaded } from './use-loaded.js';

type Page<Row> = { data: Row[]; page?: { nextCursor: string | null } };
export type List<Row> = {
  rows: Row[];
  failure: string | undefined;
  isLoaded: boolean;
  /** loads the next page; undefined on the last one */
  more: (() => void) | undefined;
  /** adds a new row above */
  add: (row: Row) => void;
  remove: (id: string) => void;
  replace: (row: Row) => void;
};

/** A list that grows page by page, or has one page. */
export function useRows<Row extends { id: string }>(
  load: (cursor: { cursor?: string }) => Promise<Page<Row>>,
): List<Row> {
  const [rows, setRows] = useState<Row[]>([]);
  const [next, setNext] = useState<string>();
  const { data, failure, reload } = useLoaded(async () => {
    const { data: more, page } = await load(next === undefined ? {} : { cursor: next });
    setRows((before) => [...before, ...more]);
    setNext(page?.nextCursor ?? undefined);
    return true;
  });
  return {
    rows,
    failure,
    isLoaded: data !== undefined,
    more: next === undefined ? undefined : reload,
    add: (row: Row): void => setRows((before) => [row, ...before]),
    remove: (id: string): void => setRows((before) => before.filter((row) => row.id !== id)),
    replace: (row: Row): void => setRows((before) => before.map((one) => (one.id === row.id ? row : one))),
  };
}

type RowsProps<Row> = { list: List<Row>; empty: string; children: (row: Row) => ComponentChild };

export function Rows<Row extends { id: string }>({ list, empty, children }: RowsProps<Row>) {
  const { more: moreText } = useTexts().viewer;
  const { rows, failure, isLoaded, more } = list;
  if (failure !== undefined) return <p role="alert">{failure}</p>;
  if (!isLoaded) return <p role="status">…</p>;
  if (rows.length === 0 && more === undefined) return <p class="empty">{empty}</p>;
  return (
    <>
      <ul class="rows">{rows.map(children)}</ul>
      {more !== undefined && (
        <button type="button" class="tool" onClick={more}>
          {moreText}
        </button>
      )}
    </>
  );
}
