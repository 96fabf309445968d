import { Navigate } from '@tanstack/react-router';
import { useShops } from '../../api/hooks.ts';
import { Loaded } from '../../ui/basics.tsx';

/** Redirects to the only shop, or to the list of shops. */
export function HomePage() {
  const shops = useShops();
  return (
    <Loaded of={shops}>
      {({ merchants }) => {
        const [only, ...others] = merchants;
        return only !== undefined && others.length === 0 ? (
          <Navigate to="/shop/$shopId" params={{ shopId: only.id }} replace />
        ) : (
          <Navigate to="/shops" replace />
        );
      }}
    </Loaded>
  );
}
