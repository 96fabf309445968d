import { Link } from '@tanstack/react-router';
import { session } from './api/session.ts';
import { Frame } from './frame.tsx';
import { t } from './i18n/t.ts';
import { Empty, LINK, PageTitle } from './ui/basics.tsx';

/** Shown for an unknown address; with navigation if a user is signed in. */
export function NotFound() {
  if (session() === null) {
    return (
      <main className="p-6">
        <Nothing />
      </main>
    );
  }
  return (
    <Frame>
      <Nothing />
    </Frame>
  );
}

function Nothing() {
  return (
    <>
      <PageTitle title={t('Not found')} />
      <Empty title={t('There is nothing at this address')}>
        <Link to="/shops" className={LINK}>
          {t('Go to your shops')}
        </Link>
      </Empty>
    </>
  );
}
