/* first.c - initial values by the shape of a weight, and the table of activations. */
#include "nn/parts.h"

#include <math.h>

static const struct first_row {
    const char *name;
    float gain;
} first_table[WEFT_ACTIVATION_COUNT] = {
#define X(name, text, gain) {text, gain},
    WEFT_ACTIVATIONS(X)
#undef X
};

static bool first_known(weft_activation a) {
    return (unsigned)a < WEFT_ACTIVATION_COUNT;
}

const char *weft_activation_name(weft_activation a) {
    return first_known(a) ? first_table[a].name : "?";
}

float weft_init_gain(weft_activation a) {
    return first_known(a) ? first_table[a].gain : 1;
}

weft_tensor weft_nn_activate(weft_tensor x, weft_activation a) {
    if (!nn_tensor("activation", x)) return (weft_tensor){x.g, 0};
    switch (a) {
    case WEFT_IDENTITY: return x;
    case WEFT_RELU: return weft_relu(x);
    case WEFT_GELU: return weft_gelu(x);
    case WEFT_GELU_TANH: return weft_gelu_tanh(x);
    case WEFT_SILU: return weft_silu(x);
    case WEFT_TANH: return weft_tanh(x);
    case WEFT_SIGMOID: return weft_sigmoid(x);
    case WEFT_LEAKY_RELU: return weft_leaky_relu(x, 0.01f);
    case WEFT_ELU: return weft_elu(x, 1);
    case WEFT_SOFTPLUS: return weft_softplus(x);
    default: return weft_poison(x.g, WEFT_ARGUMENT, "unknown activation %d", (int)a);
    }
}

/* ---- initial values ---- */

/* Elements that meet one output, and outputs that one element meets; 1 at least. */
static double first_fan(weft_shape dims, weft_fan which) {
    int axis = which == WEFT_FAN_IN && dims.rank > 1 ? 1 : 0;
    double fan = dims.rank > 0 ? (double)dims.n[axis] : 1;
    for (int i = 2; i < dims.rank; i++) fan *= (double)dims.n[i];
    return fan > 1 ? fan : 1;
}

static weft_init first_normal(double std) {
    return (weft_init){WEFT_INIT_NORMAL, 0, (float)std};
}

/* gain sqrt(2 / (fan in + fan out)) */
static double first_xavier(weft_shape dims, float gain) {
    return (gain != 0 ? gain : 1) *
           sqrt(2 / (first_fan(dims, WEFT_FAN_IN) + first_fan(dims, WEFT_FAN_OUT)));
}

weft_init weft_init_xavier_uniform(weft_shape dims, float gain) {
    return nn_uniform(sqrt(3) * first_xavier(dims, gain));
}

weft_init weft_init_xavier_normal(weft_shape dims, float gain) {
    return first_normal(first_xavier(dims, gain));
}

weft_init weft_init_kaiming_uniform(weft_shape dims, weft_fan fan, weft_activation a) {
    return nn_uniform(weft_init_gain(a) * sqrt(3 / first_fan(dims, fan)));
}

weft_init weft_init_kaiming_normal(weft_shape dims, weft_fan fan, weft_activation a) {
    return first_normal(weft_init_gain(a) / sqrt(first_fan(dims, fan)));
}

weft_init weft_init_orthogonal(float gain) {
    return (weft_init){WEFT_INIT_ORTHOGONAL, gain != 0 ? gain : 1, 0};
}

weft_init weft_init_truncated_normal(float mean, float std) {
    return (weft_init){WEFT_INIT_TRUNCATED, mean, std};
}

weft_init weft_init_gpt2(int layers) {
    return first_normal(layers > 0 ? 0.02 / sqrt(2.0 * layers) : 0.02);
}
