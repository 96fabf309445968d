import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError, signedInNow } from './api/client.ts';
import { followOtherTabs, resumeSession } from './api/session.ts';
import { t } from './i18n/t.ts';
import { StepUp } from './pages/sign-in/step-up.tsx';
import { loadOtherPages, router } from './router.tsx';
import { Button, Problem } from './ui/basics.tsx';
import { Toasts } from './ui/toast.tsx';

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

/** The pages once the signed-in user is known; nothing is shown before. */
async function start(): Promise<ReactNode> {
  try {
    resumeSession(await signedInNow());
  } catch (error) {
    if (error instanceof ApiError) return <Unreachable error={error} />;
    throw error;
  }
  followOtherTabs(signedInNow);
  return (
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
      <StepUp />
      <Toasts />
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

/** The requested page is loaded first. */
const OTHERS_AFTER_MS = 1_500;

/** Mounts the pages. */
export async function showPages(root: HTMLElement): Promise<void> {
  const pages = createRoot(root);
  const shown = await start();
  pages.render(<StrictMode>{shown}</StrictMode>);
  window.setTimeout(() => void loadOtherPages(), OTHERS_AFTER_MS);
}
