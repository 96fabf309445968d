import { useNavigate, useSearch } from '@tanstack/react-router';

type Search = Readonly<Record<string, string | undefined>>;

/** The filters in the address, and a way to change some of them; another filter starts at the first page. */
export function useFilters(): [Search, (changes: Search) => void] {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = (changes: Search): void => {
    const next = Object.fromEntries(
      Object.entries({ ...search, page: undefined, ...changes }).filter(
        ([, value]) => value !== undefined && value !== '',
      ),
    );
    void navigate({ to: '.', search: next, replace: true });
  };
  return [search, change];
}
