import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
  retainSearchParams,
  type AnyRoute,
  type RouteComponent,
} from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { session } from './api/session.ts';
import { loadLater } from './load-later.ts';
import { PageFailed } from './page-failed.tsx';
import { RegisterPage, SignInPage } from './pages/sign-in/sign-in.tsx';
import { BASE_PATH } from '../base-path.ts';

/** A page that is loaded when it is first opened. */
function lazy<K extends string>(
  load: () => Promise<Record<K, (props: object) => ReactNode>>,
  name: K,
): RouteComponent {
  return lazyRouteComponent(loadLater(load), name);
}

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: lazy(async () => import('./not-found.tsx'), 'NotFound'),
});

/** Pages that require a user; a visitor who is not signed in returns here after signing in. */
function signedIn({ location }: { readonly location: { readonly href: string } }): void {
  if (session() === null) throw redirect({ to: '/login', search: { next: location.href } });
}

const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: lazy(async () => import('./frame.tsx'), 'Frame'),
  beforeLoad: signedIn,
  // The mode, test or live, is kept between pages.
  search: { middlewares: [retainSearchParams<Search>(['mode'])] },
});

/** Without navigation, because the page asks for one decision. */
const connect = createRoute({
  getParentRoute: () => root,
  path: '/connect',
  component: lazy(async () => import('./pages/developers/connect.tsx'), 'ConnectPage'),
  validateSearch: texts,
  beforeLoad: signedIn,
});

const join = createRoute({
  getParentRoute: () => root,
  path: '/join',
  component: lazy(async () => import('./pages/sign-in/join.tsx'), 'JoinPage'),
  validateSearch: texts,
  beforeLoad: signedIn,
});

const verifyEmail = createRoute({
  getParentRoute: () => root,
  path: '/verify-email',
  component: lazy(async () => import('./pages/sign-in/mailed-links.tsx'), 'VerifyPage'),
  validateSearch: texts,
  beforeLoad: signedIn,
});

type Search = Readonly<Record<string, string | undefined>>;

/** Filters and page numbers are in the address, so that a view can be bookmarked and shared. */
function texts(search: Record<string, unknown>): Search {
  return Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [],
    ),
  );
}

function page(parent: AnyRoute, path: string, component: RouteComponent) {
  return createRoute({ getParentRoute: () => parent, path, component, validateSearch: texts });
}

const routes = root.addChildren([
  page(root, '/login', SignInPage),
  page(root, '/register', RegisterPage),
  page(
    root,
    '/forgot-password',
    lazy(async () => import('./pages/sign-in/mailed-links.tsx'), 'ForgotPage'),
  ),
  page(
    root,
    '/reset-password',
    lazy(async () => import('./pages/sign-in/mailed-links.tsx'), 'ResetPage'),
  ),
  verifyEmail,
  connect,
  join,
  inside.addChildren([
    page(
      inside,
      '/',
      lazy(async () => import('./pages/home/home.tsx'), 'HomePage'),
    ),
    page(
      inside,
      '/shops',
      lazy(async () => import('./pages/settings/shops.tsx'), 'ShopsPage'),
    ),
    page(
      inside,
      '/account',
      lazy(async () => import('./pages/account/account.tsx'), 'AccountPage'),
    ),
    page(
      inside,
      '/nodes',
      lazy(async () => import('./pages/settings/nodes.tsx'), 'NodesPage'),
    ),
    page(
      inside,
      '/shop/$shopId',
      lazy(async () => import('./pages/home/overview.tsx'), 'OverviewPage'),
    ),
    page(
      inside,
      '/shop/$shopId/attention',
      lazy(async () => import('./pages/home/attention.tsx'), 'AttentionPage'),
    ),
    page(
      inside,
      '/shop/$shopId/payments',
      lazy(async () => import('./pages/payments/payments.tsx'), 'PaymentsPage'),
    ),
    page(
      inside,
      '/shop/$shopId/payments/$paymentId',
      lazy(async () => import('./pages/payments/payment.tsx'), 'PaymentPage'),
    ),
    page(
      inside,
      '/shop/$shopId/customers',
      lazy(async () => import('./pages/sell/customers.tsx'), 'CustomersPage'),
    ),
    page(
      inside,
      '/shop/$shopId/products',
      lazy(async () => import('./pages/sell/products.tsx'), 'ProductsPage'),
    ),
    page(
      inside,
      '/shop/$shopId/subscriptions',
      lazy(async () => import('./pages/sell/subscriptions.tsx'), 'SubscriptionsPage'),
    ),
    page(
      inside,
      '/shop/$shopId/subscriptions/$subscriptionId',
      lazy(async () => import('./pages/sell/subscription.tsx'), 'SubscriptionPage'),
    ),
    page(
      inside,
      '/shop/$shopId/links',
      lazy(async () => import('./pages/sell/links.tsx'), 'LinksPage'),
    ),
    page(
      inside,
      '/shop/$shopId/counters',
      lazy(async () => import('./pages/sell/counters.tsx'), 'CountersPage'),
    ),
    page(
      inside,
      '/shop/$shopId/wallet',
      lazy(async () => import('./pages/money/wallet.tsx'), 'WalletPage'),
    ),
    page(
      inside,
      '/shop/$shopId/treasury',
      lazy(async () => import('./pages/money/treasury.tsx'), 'TreasuryPage'),
    ),
    page(
      inside,
      '/shop/$shopId/outputs',
      lazy(async () => import('./pages/money/outputs.tsx'), 'OutputsPage'),
    ),
    page(
      inside,
      '/shop/$shopId/books',
      lazy(async () => import('./pages/money/books.tsx'), 'BooksPage'),
    ),
    page(
      inside,
      '/shop/$shopId/keys',
      lazy(async () => import('./pages/developers/keys.tsx'), 'KeysPage'),
    ),
    page(
      inside,
      '/shop/$shopId/webhooks',
      lazy(async () => import('./pages/developers/webhooks.tsx'), 'WebhooksPage'),
    ),
    page(
      inside,
      '/shop/$shopId/people',
      lazy(async () => import('./pages/settings/people.tsx'), 'PeoplePage'),
    ),
    page(
      inside,
      '/shop/$shopId/mails',
      lazy(async () => import('./pages/account/notices.tsx'), 'NoticesPage'),
    ),
    page(
      inside,
      '/shop/$shopId/audit',
      lazy(async () => import('./pages/settings/audit.tsx'), 'AuditLogPage'),
    ),
    page(
      inside,
      '/shop/$shopId/settings',
      lazy(async () => import('./pages/settings/settings.tsx'), 'SettingsPage'),
    ),
  ]),
]);

export const router = createRouter({
  routeTree: routes as AnyRoute,
  basepath: `${BASE_PATH}/dashboard`,
  scrollRestoration: false,
  defaultErrorComponent: PageFailed,
  // Plain text: by default "1e3" would be read as a number and written back as 1000.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const query = new URLSearchParams(texts(search) as Record<string, string>).toString();
    return query === '' ? '' : `?${query}`;
  },
});

/** Begins to load the page of the address, while the session is still unknown. */
export function loadThisPage(): void {
  for (const { routeId } of router.matchRoutes(router.latestLocation)) {
    const component = router.routesById[routeId]?.options.component as Partial<{
      preload: () => Promise<void>;
    }>;
    // If it fails, it is loaded again by the router, which shows the error.
    void component?.preload?.().catch(() => undefined);
  }
}
