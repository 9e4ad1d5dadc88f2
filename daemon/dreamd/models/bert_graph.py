"""The graph of a BERT encoder for onnxruntime, made from its weights: what reads pairs, and what makes vectors of texts.

Word vectors are an input and not a table inside: a table of 250,000 words is read from its packed file a row at a time,
so that neither the graph nor memory holds it whole. Names of the weights are those of a BERT encoder.

In int8 every row of activations has a scale of its own. With one scale for a whole batch, as the library's own
quantisation has it, what is read of a text hangs on the texts it is read with: logits moved by as much as int8 itself
moves them. Weights keep to seven bits, so that no processor's sums of two products overflow and all come to one result.
Where vectors are compared, that is too coarse (a cosine of .996 with the exact ones): there weights have eight bits, and
activations twice seven (.9996), at half the speed gained.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import onnx
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Read = Callable[[str], Floats]

OPSET, IR = 20, 10
EXTRA = "com.microsoft"
"""What onnxruntime knows beside the format itself."""
FLOAT = 1
"""What the format calls float32."""
UNSEEN = -10_000.0
"""Added to the attention to a place without a token; float16 could not hold much less."""
ATTENTION = ("query", "key", "value")
SEVEN_BITS, EIGHT_BITS = 63, 127
"""Weights and activations share fifteen bits, so that no processor's sums of two products overflow."""


@dataclass(frozen=True)
class Sizes:
    """What of an encoder its weights do not show."""

    layers: int
    heads: int
    hidden: int
    epsilon: float
    int8: bool = False
    """Whether products of weights are made in whole numbers: three times as fast."""
    fine: bool = False
    """Whether what rounding leaves of an activation counts as a second whole number: then only the weights are rounded."""


@dataclass(frozen=True)
class Head:
    """The linear layer on what is pooled of a pair: `weight` is labels × 4·hidden, `bias` labels."""

    weight: Floats
    bias: Floats


class _Graph:
    """Nodes and constants in the making."""

    def __init__(self, read: Read, sizes: Sizes) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self._read, self._sizes = read, sizes
        self._largest = SEVEN_BITS if sizes.fine else EIGHT_BITS
        """Of the whole numbers that stand for activations."""
        self._rounded: tuple[str, list[tuple[str, float]], str] = ("", [], "")
        """What was rounded last, with its whole numbers and the scales of its rows."""

    def constant(self, value: NDArray[np.generic]) -> str:
        import numpy as np
        from onnx import numpy_helper

        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.array(value, order="C"), name))
        return name

    def numbers(self, *values: int) -> str:
        import numpy as np

        return self.constant(np.array(values, np.int64))

    def node(self, kind: str, *inputs: str, out: str = "", **settings: int | float | str | Sequence[int]) -> str:
        from onnx import helper

        name = out or f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **settings))  # type: ignore[arg-type]
        return name

    def weight(self, name: str) -> str:
        return self.constant(self._read(name))

    def linear(self, x: str, *names: str) -> str:
        """One product with the weights of one or several linear layers, side by side."""
        import numpy as np

        weight = np.concatenate([self._read(f"{name}.weight") for name in names])
        bias = self.constant(np.concatenate([self._read(f"{name}.bias") for name in names]))
        if not self._sizes.int8:
            return self.node("Add", self.node("MatMul", x, self.constant(weight.T)), bias)
        parts, scales = self._round(x)
        largest = EIGHT_BITS if self._sizes.fine else SEVEN_BITS
        steps = np.maximum(np.abs(weight).max(axis=1), 1e-9).astype(np.float32) / largest
        packed = self.constant(np.rint(weight / steps[:, None]).astype(np.int8).T)
        rest = packed, self.constant(steps), self.constant(np.array(self._largest + 1, np.uint8))
        products = [self._product(whole, share, *rest) for whole, share in parts]
        total = self.node("Add", *products) if len(products) > 1 else products[0]
        return self.node("Add", self.node("Mul", total, scales), bias)

    def _product(self, whole: str, share: float, weight: str, steps: str, middle: str) -> str:
        """Whole numbers times whole numbers, and at once what they stand for: no pass over the result for each factor."""
        import numpy as np

        return self.node("MatMulIntegerToFloat", whole, weight, self.constant(np.array(share, np.float32)), steps, middle,
                         domain=EXTRA)

    def _round(self, x: str) -> tuple[list[tuple[str, float]], str]:
        """The rows of `x` as whole numbers, each with its share of a step, and what a step stands for in each row."""
        import numpy as np

        if self._rounded[0] != x:
            largest = self.node("ReduceMax", self.node("Abs", x), self.numbers(-1), keepdims=1)
            scales = self.node("Mul", largest, self.constant(np.array([1 / self._largest], np.float32)))
            scales = self.node("Max", scales, self.constant(np.array([1e-9], np.float32)))
            values = self.node("Div", x, scales)
            parts = [(values, 1.0)]
            if self._sizes.fine:
                parts.append((self.node("Sub", values, self.node("Round", values)), 0.5 / self._largest))
            middle = self.constant(np.array(self._largest + 1, np.uint8))
            whole = [(self.node("QuantizeLinear", part, self.constant(np.array(share, np.float32)), middle), share)
                     for part, share in parts]
            self._rounded = x, whole, scales
        return self._rounded[1:]

    def normalised(self, x: str, name: str) -> str:
        return self.node("LayerNormalization", x, self.weight(f"{name}.weight"), self.weight(f"{name}.bias"),
                         axis=-1, epsilon=self._sizes.epsilon)

    def mean(self, x: str, mask: str) -> str:
        """Mean of the rows that a mask leaves."""
        weights, places = self.node("Unsqueeze", mask, self.numbers(2)), self.numbers(1)
        total = self.node("ReduceSum", self.node("Mul", x, weights), places, keepdims=0)
        return self.node("Div", total, self.node("ReduceSum", weights, places, keepdims=0))


def pair_graph(read: Read, sizes: Sizes, head: Head) -> onnx.ModelProto:
    """Logits of a pair `<s> a </s> b </s>`: inputs `words` (n × l × hidden), `kinds` and `mask` (n × l), output `logits`."""
    graph = _Graph(read, sizes)
    mask, x = _encode(graph, sizes)
    second = graph.node("Mul", mask, graph.node("Cast", "kinds", to=FLOAT))
    left, right = graph.mean(x, graph.node("Sub", mask, second)), graph.mean(x, second)
    first = graph.node("Slice", x, graph.numbers(0), graph.numbers(1), graph.numbers(1))
    pooled = graph.node("Concat", graph.node("Squeeze", first, graph.numbers(1)), graph.mean(x, mask),
                        graph.node("Abs", graph.node("Sub", left, right)), graph.node("Mul", left, right), axis=-1)
    product = graph.node("MatMul", pooled, graph.constant(head.weight.T))
    graph.node("Add", product, graph.constant(head.bias), out="logits")
    return _model(graph, sizes, "logits", len(head.bias))


def text_graph(read: Read, sizes: Sizes) -> onnx.ModelProto:
    """The mean of the last layer of each text: inputs as for pairs, output `vectors` (n × hidden), not yet of length one."""
    graph = _Graph(read, sizes)
    mask, x = _encode(graph, sizes)
    graph.node("Identity", graph.mean(x, mask), out="vectors")
    return _model(graph, sizes, "vectors", sizes.hidden)


def _model(graph: _Graph, sizes: Sizes, output: str, width: int) -> onnx.ModelProto:
    import onnx
    from onnx import TensorProto, helper

    inputs = [helper.make_tensor_value_info("words", TensorProto.FLOAT, ["n", "l", sizes.hidden])]
    inputs += [helper.make_tensor_value_info(name, TensorProto.INT64, ["n", "l"]) for name in ("kinds", "mask")]
    outputs = [helper.make_tensor_value_info(output, TensorProto.FLOAT, ["n", width])]
    made = helper.make_model(helper.make_graph(graph.nodes, "encoder", inputs, outputs, graph.constants),
                             opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid(EXTRA, 1)],
                             ir_version=IR)
    onnx.checker.check_model(made)
    return made


def _encode(graph: _Graph, sizes: Sizes) -> tuple[str, str]:
    """The mask as numbers, and the last layer."""
    import numpy as np

    places = graph.node("Slice", graph.weight("embeddings.position_embeddings.weight"), graph.numbers(0),
                        graph.node("Shape", "kinds", start=1, end=2), graph.numbers(0))
    kinds = graph.node("Gather", graph.weight("embeddings.token_type_embeddings.weight"), "kinds")
    x = graph.normalised(graph.node("Add", graph.node("Add", "words", kinds), places), "embeddings.LayerNorm")
    mask = graph.node("Cast", "mask", to=FLOAT)
    missing = graph.node("Sub", graph.constant(np.array([1], np.float32)), mask)
    away = graph.node("Mul", missing, graph.constant(np.array([UNSEEN], np.float32)))
    unseen = graph.node("Unsqueeze", away, graph.numbers(1, 2))
    for number in range(sizes.layers):
        name = f"encoder.layer.{number}."
        seen = graph.linear(_attended(graph, sizes, x, f"{name}attention.self.", unseen), f"{name}attention.output.dense")
        x = graph.normalised(graph.node("Add", seen, x), f"{name}attention.output.LayerNorm")
        wide = graph.node("Gelu", graph.linear(x, f"{name}intermediate.dense"))
        x = graph.normalised(graph.node("Add", graph.linear(wide, f"{name}output.dense"), x), f"{name}output.LayerNorm")
    return mask, x


def _attended(graph: _Graph, sizes: Sizes, x: str, name: str, unseen: str) -> str:
    import numpy as np

    width = sizes.hidden // sizes.heads
    mixed = graph.node("Reshape", graph.linear(x, *(name + part for part in ATTENTION)),
                       graph.numbers(0, 0, len(ATTENTION), sizes.heads, width))
    parted = graph.node("Transpose", mixed, perm=[2, 0, 3, 1, 4])
    query, key, value = (graph.node("Gather", parted, graph.constant(np.array(part)), axis=0) for part in range(len(ATTENTION)))
    query = graph.node("Mul", query, graph.constant(np.array([width**-0.5], np.float32)))
    scores = graph.node("MatMul", query, graph.node("Transpose", key, perm=[0, 1, 3, 2]))
    shares = graph.node("Softmax", graph.node("Add", scores, unseen), axis=-1)
    seen = graph.node("Transpose", graph.node("MatMul", shares, value), perm=[0, 2, 1, 3])
    return graph.node("Reshape", seen, graph.numbers(0, 0, sizes.hidden))
