// Package hunt looks for a run that violates a property. [Search] adds faults to a scenario, few before many,
// until a run violates the property, and then makes the plan as small as possible. The registry [Faults] lists
// the faults.
package hunt
