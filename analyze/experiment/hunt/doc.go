// Package hunt looks for a run that violates a property: [Search] adds faults to
// a scenario, few before many, until a run does, and makes the plan as small as
// it can be. What it may add is the registry of [Faults].
package hunt
