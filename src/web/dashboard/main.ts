import './style.css';
import { prefetch } from './api/prefetch.ts';
import { wasIn } from './api/was-in.ts';

// This file has no libraries, so its requests are on their way while those are loading.
prefetch('/auth/session');
// Every page of a signed-in user begins with it.
if (wasIn()) prefetch('/merchant/list');
void import('./start.ts');
