import './style.css';
import { requestEarly } from './api/early.ts';
import { wasIn } from './api/was-in.ts';

// This file has no libraries, so its requests are on their way while those are loading.
requestEarly('/auth/session');
// Every page of a signed-in user begins with it.
if (wasIn()) requestEarly('/merchant/list');
void import('./start.ts');
