import type { ReactNode } from 'react';
import type { Pagination } from '../api/types.ts';
import { t } from '../i18n/t.ts';
import { Button } from './basics.tsx';

export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => ReactNode;
  /** Numbers stand right. */
  readonly end?: boolean;
  /** Left out where the screen is narrow. */
  readonly wide?: boolean;
}

interface TableProps<T> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string;
}

export function Table<T>({ label, rows, columns, keyOf }: TableProps<T>) {
  const place = (column: Column<T>): string =>
    `${column.end === true ? 'text-right' : 'text-left'} ${column.wide === true ? 'hidden md:table-cell' : ''}`;
  return (
    <div className="relative -mx-5 overflow-x-auto" role="region" aria-label={label} tabIndex={0}>
      <table className="w-full text-sm">
        <thead>
          <tr className="border-b border-line text-xs text-soft">
            {columns.map((column) => (
              <th
                key={column.title}
                scope="col"
                className={`px-2 py-2 font-medium first:pl-5 last:pr-5 sm:px-4 ${place(column)}`}
              >
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className="border-b border-line last:border-0 hover:bg-well">
              {columns.map((column) => (
                <td
                  key={column.title}
                  className={`px-2 py-3 align-middle first:pl-5 last:pr-5 sm:px-4 ${place(column)}`}
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

export function Pager(props: { of: Pagination; onPage: (page: number) => void }) {
  const { page, limit, total } = props.of;
  const pages = Math.max(1, Math.ceil(total / limit));
  if (pages === 1 && page === 1) return null;
  return (
    <nav aria-label={t('Pages')} className="mt-4 flex items-center justify-between gap-3 text-sm text-soft">
      <Button disabled={page <= 1} onClick={() => props.onPage(page - 1)}>
        {t('Newer')}
      </Button>
      <span>{t('Page {page} of {pages}', { page, pages })}</span>
      <Button disabled={page >= pages} onClick={() => props.onPage(page + 1)}>
        {t('Older')}
      </Button>
    </nav>
  );
}
