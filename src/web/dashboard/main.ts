import './style.css';
import { prefetch } from './api/prefetch.ts';
import { hadSession } from './api/had-session.ts';

// This file has no libraries, so its requests are on their way while those are loading.
prefetch('/auth/session');
// Every page of a signed-in user begins with it.
if (hadSession()) prefetch('/merchant/list');
void import('./start.ts');
