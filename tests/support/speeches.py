"""A speech with all constructs of Markdown that models use."""

from __future__ import annotations

SPEECH = r"""## Why the mean of speeds is **wrong**

Let the way be $d$. Going up takes $t_1 = \frac{d}{1}$, going down \(t_2 = \frac{d}{3}\), so **the average** is *not* `(1 + 3) / 2`:

\[
v_{avg} = \frac{2d}{d + d/3} = \boxed{1.5}\ \text{m/s}
\]

| Way  | Speed | Time |
|:-----|------:|:----:|
| up   | 1 m/s | `d/1` |
| down | 3 m/s | $d/3$ |

1. The times differ, as [the book](https://example.org/harmonic) says.
   - which ~~nobody~~ everybody sees
2. It costs $5 and $10.

> The harmonic mean is what one needs.

```python
def mean(up, down): return 2 / (1 / up + 1 / down)  # the harmonic mean: the ways are equal and the times are not, so it is less than two
```

**Answer: 1.5 m/s**"""
