/* 09_char_rnn.c - an LSTM reads a fable letter by letter until it knows it by heart.
 *
 * New here: layers of nn.h; a sequence cut into short runs, with the LSTM's state carried from one
 * run to the next (truncated back-propagation through time); an evaluation graph; letters drawn in
 * the graph itself, each by the chances that the network gives, and fed back through the state. */
#include <stdio.h>
#include <string.h>
#include <weft/nn.h>

static const char fable[] =
    "A weaver kept a small brown bird in a cage of reeds beside her loom. All day the shuttle went "
    "from left to right and from right to left, and all day the bird sang to its measure. One "
    "evening "
    "the weaver said: You sing so well when I work, and so little when I rest. Why is that? The "
    "bird "
    "said: I do not sing to the cloth, I sing to the thread. The cloth is done and has no more to "
    "say, "
    "but the thread is still on its way. Then the weaver laughed, and opened the cage, and the "
    "bird "
    "flew up to the beam above the loom. It stayed there all winter. In spring it flew out to the "
    "river, and took one red thread along for its nest. And the weaver, who found a red thread "
    "missing "
    "in the cloth, did not mend it. Here, she said to everyone who asked, here is the place where "
    "the "
    "song went out. ";

enum { ROWS = 16, TIME = 32, HIDDEN = 128, STEPS = 200, MOST = 64 };
enum { LENGTH = sizeof fable - 1 };

static char letters[MOST]; /* those of the fable, in order of their first appearance */
static int32_t text[LENGTH];

static int read_fable(void) {
    int n = 0;
    for (int i = 0; i < LENGTH; i++) {
        const char *at = memchr(letters, fable[i], (size_t)n);
        if (!at && n == MOST) return 0;
        if (!at) letters[n++] = fable[i];
        text[i] = (int32_t)(at ? at - letters : n - 1);
    }
    return n;
}

/* [rows, time] letters -> [rows, time, n] scores of what comes next. Training and telling have a
 * state of their own, for they read other texts side by side. */
static weft_tensor network(weft_state *s, weft_tensor letter, int n, const char *reading) {
    weft_tensor x = weft_nn_embedding(s, letter, n, 32, "letters", NULL);
    x = weft_nn_lstm(s, x, HIDDEN, "lstm",
                     &(weft_nn_recurrent_desc){.batch_first = true, .carry = reading})
            .y;
    return weft_nn_linear(s, weft_dropout(x, 0.05f), n, "next", NULL);
}

static weft_plan *reader(weft_ctx *c, weft_state *s, int n, weft_tensor *x, weft_tensor *t,
                         weft_tensor *loss) {
    weft_graph *g = weft_graph_new(c);
    *x = weft_input(g, WEFT_I32, weft_dims(ROWS, TIME));
    *t = weft_input(g, WEFT_I32, weft_dims(ROWS, TIME));
    *loss = weft_nn_cross_entropy(network(s, *x, n, "reading"), *t, NULL);
    weft_plan *p = weft_compile(
        g, &(weft_plan_desc){.fetch = weft_list(*loss),
                             .update = weft_adam(s, *loss, &(weft_adam_desc){.lr = 8e-3f}),
                             .training = true}); /* carries the state on */
    weft_graph_free(g);
    return p;
}

/* One letter a run: the last one lies in the state, the next is drawn and put there. */
static weft_plan *teller(weft_ctx *c, weft_state *s, int n, weft_tensor *told) {
    weft_graph *g = weft_graph_new(c);
    weft_graph_eval(g); /* no dropout */
    weft_tensor last = weft_buffer(g, s, "told", WEFT_I32, weft_dims(1, 1), (weft_init){0});
    weft_tensor scores = network(s, last, n, "telling");
    /* the largest of scores and noise of this kind (Gumbel's) is a draw from their softmax */
    weft_tensor noise = weft_neg(
        weft_log(weft_neg(weft_log(weft_offset(weft_uniform(g, weft_dims(1, 1, n)), 1e-9f)))));
    *told = weft_argmax(weft_add(scores, noise), -1, false);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(*told),
                                                     .update = weft_assign(last, *told),
                                                     .training = true});
    weft_graph_free(g);
    return p;
}

static void print_told(weft_plan *tell, weft_tensor told, int count) {
    for (int i = 0, column = 0; i < count; i++) {
        int32_t letter;
        weft_run(tell);
        weft_get(tell, told, &letter, sizeof letter);
        const bool turn = column > 66 && letters[letter] == ' ';
        putchar(turn ? '\n' : letters[letter]);
        column = turn ? 0 : column + 1;
    }
    printf("\n\n");
}

int main(void) {
    weft_ctx *c = weft_open("auto");
    weft_state *s = weft_state_new(c);
    const int n = read_fable();
    if (!s || !n) return fprintf(stderr, "%s\n", weft_error(c)), 1;
    weft_tensor x, t, loss, told;
    weft_plan *read = reader(c, s, n, &x, &t, &loss), *tell = teller(c, s, n, &told);
    if (!read || !tell) return fprintf(stderr, "%s\n", weft_error(c)), 1;

    float mean = 0;
    for (int step = 0; step < STEPS; step++) {
        const float rate = 8e-3f * (1 - (float)step / STEPS);
        weft_state_set(s, "optim.lr", &rate, sizeof rate);
        int32_t(*in)[TIME] = weft_feed(read, x), (*want)[TIME] = weft_feed(read, t);
        for (int r = 0; r < ROWS; r++) /* each row reads on from its own place, round and round */
            for (int i = 0; i < TIME; i++) {
                const int at = r * LENGTH / ROWS + step * TIME + i;
                in[r][i] = text[at % LENGTH];
                want[r][i] = text[(at + 1) % LENGTH];
            }
        if (weft_run(read) != WEFT_OK) return fprintf(stderr, "%s\n", weft_error(c)), 1;
        mean = step % 25 ? mean + weft_item(read, loss) / 25 : weft_item(read, loss) / 25;
        if (step % 25 == 24) printf("step %3d  loss %.3f\n", step + 1, mean);
        if (step == 24 || step == 49 || step == 74) print_told(tell, told, 75);
    }

    printf("\n");
    print_told(tell, told, 500);
    weft_plan_free(read);
    weft_plan_free(tell);
    weft_state_free(s);
    weft_close(c);
    return mean < 0.5f ? 0 : 1;
}
