import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { lazyRouteComponent, RouterProvider } from '@tanstack/react-router';
import { StrictMode, Suspense, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError, signedInNow } from './api/client.ts';
import { followOtherTabs, resumeSession } from './api/session.ts';
import { t } from './i18n/t.ts';
import { StepUp } from './pages/sign-in/step-up.tsx';
import { loadLater, loadOtherParts } from './load-later.ts';
import { loadThisPage, router } from './router.tsx';
import { Button, Problem } from './ui/basics.tsx';

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // The client itself retries where that may help.
      retry: false,
      // By default an offline browser sends no request and reports nothing, so stale data would look current.
      networkMode: 'always',
      refetchOnReconnect: true,
    },
    mutations: { networkMode: 'always' },
  },
});

/** The region of messages after an action: not needed before one. */
const Toasts = lazyRouteComponent(
  loadLater(async () => import('./ui/toast-view.tsx')),
  'ToastView',
);

/** The pages once the signed-in user is known; nothing is shown before. */
async function start(): Promise<ReactNode> {
  loadThisPage();
  try {
    const found = await signedInNow();
    resumeSession(found);
  } catch (error) {
    if (error instanceof ApiError) return <Unreachable error={error} />;
    throw error;
  }
  followOtherTabs(signedInNow);
  return (
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
      <StepUp />
      <Suspense fallback={null}>
        <Toasts />
      </Suspense>
    </QueryClientProvider>
  );
}

function Unreachable({ error }: { error: ApiError }) {
  return (
    <main className="mx-auto grid max-w-sm gap-4 p-6">
      <Problem error={error} />
      <Button onClick={() => window.location.reload()}>{t('Try again')}</Button>
    </main>
  );
}

/** Mounts the pages. */
export async function showPages(root: HTMLElement): Promise<void> {
  const pages = createRoot(root);
  const shown = await start();
  pages.render(<StrictMode>{shown}</StrictMode>);
  void loadOtherParts(() => router.state.status !== 'idle' || client.isFetching() > 0);
}
