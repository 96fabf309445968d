import { Module } from '@medusajs/framework/utils';
import TilldService from './service';

export default Module('tilld', { service: TilldService });
