import { ModuleProvider, Modules } from '@medusajs/framework/utils';
import TilldProvider from './service';

export default ModuleProvider(Modules.PAYMENT, { services: [TilldProvider] });
