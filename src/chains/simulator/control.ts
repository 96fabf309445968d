/** The payer's side of this family; defined with the other ports, because use cases drive it. */
export { SimulatorRefusal, type SimulatorControl } from '../../domain/simulator-control.ts';
