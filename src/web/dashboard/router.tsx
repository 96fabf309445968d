import {
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  redirect,
  retainSearchParams,
  type AnyRoute,
} from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { session } from './api/session.ts';
import { Frame } from './frame.tsx';
import { NotFound } from './not-found.tsx';
import { AccountPage } from './pages/account.tsx';
import { AuditLogPage } from './pages/audit.tsx';
import { ForgotPage, ResetPage, VerifyPage } from './pages/mailed-links.tsx';
import { ConnectPage } from './pages/connect.tsx';
import { CustomersPage } from './pages/customers.tsx';
import { HomePage } from './pages/home.tsx';
import { JoinPage } from './pages/join.tsx';
import { KeysPage } from './pages/keys.tsx';
import { LinksPage } from './pages/links.tsx';
import { NodesPage } from './pages/nodes.tsx';
import { NoticesPage } from './pages/notices.tsx';
import { OverviewPage } from './pages/overview.tsx';
import { PaymentPage } from './pages/payment.tsx';
import { PaymentsPage } from './pages/payments.tsx';
import { PeoplePage } from './pages/people.tsx';
import { ProductsPage } from './pages/products.tsx';
import { SettingsPage } from './pages/settings.tsx';
import { ShopsPage } from './pages/shops.tsx';
import { RegisterPage, SignInPage } from './pages/sign-in.tsx';
import { WalletPage } from './pages/wallet.tsx';
import { WebhooksPage } from './pages/webhooks.tsx';

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

/** What needs a user; who comes without one returns here after signing in. */
function signedIn({ location }: { readonly location: { readonly href: string } }): void {
  if (session() === null) throw redirect({ to: '/login', search: { next: location.href } });
}

const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Frame,
  beforeLoad: signedIn,
  // Test or live goes along from page to page.
  search: { middlewares: [retainSearchParams<Search>(['mode'])] },
});

/** Without the frame around it: whoever comes here has one thing to decide. */
const connect = createRoute({
  getParentRoute: () => root,
  path: '/connect',
  component: ConnectPage,
  validateSearch: texts,
  beforeLoad: signedIn,
});

const join = createRoute({
  getParentRoute: () => root,
  path: '/join',
  component: JoinPage,
  validateSearch: texts,
  beforeLoad: signedIn,
});

type Search = Readonly<Record<string, string | undefined>>;

/** Filters and pages stand in the address, so that a view can be kept and shared. */
function texts(search: Record<string, unknown>): Search {
  return Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [],
    ),
  );
}

function page(parent: AnyRoute, path: string, component: () => ReactNode) {
  return createRoute({ getParentRoute: () => parent, path, component, validateSearch: texts });
}

const routes = root.addChildren([
  page(root, '/login', SignInPage),
  page(root, '/register', RegisterPage),
  page(root, '/forgot-password', ForgotPage),
  page(root, '/reset-password', ResetPage),
  page(root, '/verify-email', VerifyPage),
  connect,
  join,
  inside.addChildren([
    page(inside, '/', HomePage),
    page(inside, '/shops', ShopsPage),
    page(inside, '/account', AccountPage),
    page(inside, '/nodes', NodesPage),
    page(inside, '/shop/$shopId', OverviewPage),
    page(inside, '/shop/$shopId/payments', PaymentsPage),
    page(inside, '/shop/$shopId/payments/$paymentId', PaymentPage),
    page(inside, '/shop/$shopId/customers', CustomersPage),
    page(inside, '/shop/$shopId/products', ProductsPage),
    page(inside, '/shop/$shopId/links', LinksPage),
    page(inside, '/shop/$shopId/wallet', WalletPage),
    page(inside, '/shop/$shopId/keys', KeysPage),
    page(inside, '/shop/$shopId/webhooks', WebhooksPage),
    page(inside, '/shop/$shopId/people', PeoplePage),
    page(inside, '/shop/$shopId/mails', NoticesPage),
    page(inside, '/shop/$shopId/audit', AuditLogPage),
    page(inside, '/shop/$shopId/settings', SettingsPage),
  ]),
]);

export const router = createRouter({
  routeTree: routes as AnyRoute,
  basepath: '/dashboard',
  scrollRestoration: false,
  // Plain text: by default "1e3" would be read as a number and written back as 1000.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const query = new URLSearchParams(texts(search) as Record<string, string>).toString();
    return query === '' ? '' : `?${query}`;
  },
});
