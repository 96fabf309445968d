import type { ReactNode } from 'react';
import type { Pagination } from '../contract/types.ts';
import { t } from '../i18n/t.ts';
import { Button } from './basics.tsx';
import { Small } from './form.tsx';
import { followRowLink } from './row-link.ts';

export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => ReactNode;
  /** Numbers are aligned right. */
  readonly end?: boolean;
  /** Hidden on narrow screens. */
  readonly wide?: boolean;
  /** The sort key of this column; see `Sorting`. */
  readonly sort?: string;
}

/** The order of the rows: the sort key of a column, with a minus sign for descending. */
export interface Sorting {
  readonly by: string;
  readonly onSort: (key: string) => void;
}

interface TableProps<T> {
  /** Required if columns have a `sort`. */
  readonly sorting?: Sorting;
  readonly label: string;
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string;
}

/** A click on a row follows its link with the `ROW_LINK` props. */
export function Table<T>({ label, rows, columns, keyOf, sorting }: TableProps<T>) {
  const place = (column: Column<T>): string =>
    `${column.end === true ? 'text-end' : 'text-start'} ${column.wide === true ? 'hidden md:table-cell' : ''}`;
  return (
    <div className="relative -mx-5 overflow-x-auto" role="region" aria-label={label} tabIndex={0}>
      <table className="w-full text-sm">
        <thead>
          <tr className="border-b border-line text-xs text-soft">
            {columns.map((column) => (
              <th
                key={column.title}
                scope="col"
                {...sortAttributes(column.sort, sorting)}
                className={`px-2 py-2 font-medium first:ps-5 last:pe-5 sm:px-4 ${place(column)}`}
              >
                {column.sort === undefined || sorting === undefined ? (
                  column.title
                ) : (
                  <SortButton title={column.title} of={column.sort} sorting={sorting} />
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              onClick={followRowLink}
              onAuxClick={followRowLink}
              className="border-b border-line last:border-0 hover:bg-well has-[a[data-row-link]]:cursor-pointer"
            >
              {columns.map((column) => (
                <td
                  key={column.title}
                  className={`px-2 py-3 align-middle first:ps-5 last:pe-5 sm:px-4 ${place(column)}`}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function sortAttributes(key: string | undefined, sorting: Sorting | undefined) {
  if (key === undefined || sorting === undefined) return {};
  if (sorting.by === key) return { 'aria-sort': 'ascending' as const };
  return sorting.by === `-${key}` ? { 'aria-sort': 'descending' as const } : {};
}

/** The first click sorts by the column, the next one reverses the order. */
function SortButton({ title, of, sorting }: { title: string; of: string; sorting: Sorting }) {
  const { by, onSort } = sorting;
  const mark = by === of ? '↑' : by === `-${of}` ? '↓' : '↕';
  return (
    <button
      type="button"
      onClick={() => onSort(of)}
      className="-mx-1 inline-flex min-h-8 items-center gap-1 rounded-lg px-1 font-medium hover:text-ink"
    >
      {title}
      <span aria-hidden="true" className={mark === '↕' ? 'opacity-60' : 'text-ink'}>
        {mark}
      </span>
    </button>
  );
}

const SIZES = ['20', '50', '100'] as const;

/** Rows per page, from the address. */
export function pageSize(requested: string | undefined): number {
  return Number(SIZES.find((size) => size === requested) ?? SIZES[0]);
}

interface PagerProps {
  readonly of: Pagination;
  readonly onPage: (page: number) => void;
  /** Shows a choice of the number of rows per page. */
  readonly onSize?: (size: string) => void;
  /** Whether the rows are sorted by anything other than age, newest first. */
  readonly isSorted?: boolean;
}

export function Pager({ of, onPage, onSize, isSorted = false }: PagerProps) {
  const { page, limit, total } = of;
  const pages = Math.max(1, Math.ceil(total / limit));
  const isOne = pages === 1 && page === 1;
  const hasSizes = onSize !== undefined && total > Number(SIZES[0]);
  if (isOne && !hasSizes) return null;
  return (
    <div className="mt-4 flex flex-wrap items-center justify-between gap-3 text-sm text-soft">
      {!isOne && (
        <nav aria-label={t('Pages')} className="flex flex-1 items-center justify-between gap-3">
          <Button disabled={page <= 1} onClick={() => onPage(page - 1)}>
            {isSorted ? t('Previous') : t('Newer')}
          </Button>
          <span>{t('Page {page} of {pages}', { page, pages })}</span>
          <Button disabled={page >= pages} onClick={() => onPage(page + 1)}>
            {isSorted ? t('Next') : t('Older')}
          </Button>
        </nav>
      )}
      {hasSizes && (
        <Small
          label={t('Rows on a page')}
          value={String(limit)}
          options={SIZES.map((size) => [size, t('{size} rows', { size })] as const)}
          onChange={onSize}
        />
      )}
    </div>
  );
}
