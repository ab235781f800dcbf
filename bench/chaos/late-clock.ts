// Preloaded into a program, it sets its clock an hour back: the machine's own can't be another one for it alone.
const skew = -3_600_000
const RealDate = Date

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [RealDate.now() + skew] : args, newTarget),
  get: (target, property, receiver) =>
    property === 'now' ? () => target.now() + skew : Reflect.get(target, property, receiver),
})
