import { useNavigate, useSearch } from '@tanstack/react-router';

type Search = Readonly<Record<string, string | undefined>>;

/**
 * The filters in the address, and a function to change some of them; a changed filter resets to the first
 * page.
 */
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
